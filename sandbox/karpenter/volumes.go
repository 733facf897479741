package main

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

const (
	ebsDriver          = "ebs.csi.aws.com"
	selectedNode       = "volume.kubernetes.io/selected-node"
	provisionedBy      = "pv.kubernetes.io/provisioned-by"
	storageProvisioner = "volume.kubernetes.io/storage-provisioner"
)

// volumeController plays the EBS driver: a claim gets a volume in the zone of the node that the scheduler chose for it,
// and a volume that nobody claims any more goes.
type volumeController struct{ client client.Client }

func (c volumeController) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	claim := &corev1.PersistentVolumeClaim{}
	if err := c.client.Get(ctx, request.NamespacedName, claim); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	chosen := claim.Annotations[selectedNode]
	if claim.Spec.VolumeName != "" || chosen == "" || claim.Annotations[storageProvisioner] != ebsDriver {
		return reconcile.Result{}, nil
	}
	node := &corev1.Node{}
	if err := c.client.Get(ctx, client.ObjectKey{Name: chosen}, node); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err) // the scheduler chooses another
	}
	return reconcile.Result{}, client.IgnoreAlreadyExists(c.client.Create(ctx, volumeFor(claim, node)))
}

func volumeFor(claim *corev1.PersistentVolumeClaim, node *corev1.Node) *corev1.PersistentVolume {
	name := "pvc-" + string(claim.UID)
	zone := corev1.NodeSelectorRequirement{
		Key: corev1.LabelTopologyZone, Operator: corev1.NodeSelectorOpIn, Values: []string{node.Labels[corev1.LabelTopologyZone]},
	}
	return &corev1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: name, Annotations: map[string]string{provisionedBy: ebsDriver}},
		Spec: corev1.PersistentVolumeSpec{
			Capacity:                      claim.Spec.Resources.Requests,
			AccessModes:                   claim.Spec.AccessModes,
			VolumeMode:                    claim.Spec.VolumeMode,
			PersistentVolumeReclaimPolicy: corev1.PersistentVolumeReclaimDelete,
			StorageClassName:              *claim.Spec.StorageClassName,
			ClaimRef: &corev1.ObjectReference{
				APIVersion: "v1", Kind: "PersistentVolumeClaim", Namespace: claim.Namespace, Name: claim.Name, UID: claim.UID,
			},
			PersistentVolumeSource: corev1.PersistentVolumeSource{
				CSI: &corev1.CSIPersistentVolumeSource{Driver: ebsDriver, VolumeHandle: "vol-" + string(claim.UID)},
			},
			NodeAffinity: &corev1.VolumeNodeAffinity{Required: &corev1.NodeSelector{
				NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: []corev1.NodeSelectorRequirement{zone}}},
			}},
		},
	}
}

// release deletes a volume whose claim is gone.
func (c volumeController) release(ctx context.Context, o client.Object) []reconcile.Request {
	volume := o.(*corev1.PersistentVolume)
	if volume.Status.Phase == corev1.VolumeReleased && volume.Annotations[provisionedBy] == ebsDriver {
		_ = c.client.Delete(ctx, volume) // another event follows where that fails
	}
	return nil
}

func (c volumeController) register(manager ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(manager).Named("volume").For(&corev1.PersistentVolumeClaim{}).
		Watches(&corev1.PersistentVolume{}, handler.EnqueueRequestsFromMapFunc(c.release)).Complete(c)
}
