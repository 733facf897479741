package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"github.com/awslabs/operatorpkg/status"
	"github.com/samber/lo"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
)

const (
	awsGroup            = "karpenter.k8s.aws"
	nodeClassFinalizer  = awsGroup + "/termination"
	nodeClassHashKey    = awsGroup + "/ec2nodeclass-hash"
	reservationIDLabel  = awsGroup + "/capacity-reservation-id"
	defaultRootVolume   = "20Gi"
	nodeClassStillInUse = 2 * time.Second
)

// notHashed are the fields of an EC2NodeClass whose change drifts no node by itself: what they select does.
var notHashed = []string{"amiSelectorTerms", "subnetSelectorTerms", "securityGroupSelectorTerms", "capacityReservationSelectorTerms"}

// EC2NodeClass is what the sandbox reads of the real kind; whatever else it says is kept as it is.
type EC2NodeClass struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              map[string]any `json:"spec,omitempty"`
	Status            struct {
		Conditions []status.Condition `json:"conditions,omitempty"`
	} `json:"status,omitempty"`
}

// EC2NodeClassList is a list of them.
type EC2NodeClassList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []EC2NodeClass `json:"items"`
}

func init() {
	gv := schema.GroupVersion{Group: awsGroup, Version: "v1"}
	metav1.AddToGroupVersion(scheme.Scheme, gv)
	scheme.Scheme.AddKnownTypes(gv, &EC2NodeClass{}, &EC2NodeClassList{})
}

func (in *EC2NodeClass) DeepCopyObject() runtime.Object {
	out := &EC2NodeClass{TypeMeta: in.TypeMeta, Spec: runtime.DeepCopyJSON(in.Spec)}
	in.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	out.Status.Conditions = append([]status.Condition(nil), in.Status.Conditions...)
	return out
}

func (in *EC2NodeClassList) DeepCopyObject() runtime.Object {
	out := &EC2NodeClassList{TypeMeta: in.TypeMeta, ListMeta: in.ListMeta}
	for i := range in.Items {
		out.Items = append(out.Items, *in.Items[i].DeepCopyObject().(*EC2NodeClass))
	}
	return out
}

func (in *EC2NodeClass) GetConditions() []status.Condition  { return in.Status.Conditions }
func (in *EC2NodeClass) SetConditions(c []status.Condition) { in.Status.Conditions = c }
func (in *EC2NodeClass) StatusConditions(opts ...status.ForOption) status.ConditionSet {
	return status.NewReadyConditions().For(in, opts...)
}

// read decodes one field of the specification; what is absent leaves the target as it is.
func (in *EC2NodeClass) read(field string, into any) error {
	value, ok := in.Spec[field]
	if !ok {
		return nil
	}
	raw, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return json.Unmarshal(raw, into)
}

// rootVolume is what the node has for pods' files: the root volume, or all local disks where the class says RAID0.
func (in *EC2NodeClass) rootVolume(localDisksGB int64) (resource.Quantity, error) {
	var policy string
	var mappings []struct {
		RootVolume bool `json:"rootVolume"`
		EBS        struct {
			VolumeSize string `json:"volumeSize"`
		} `json:"ebs"`
	}
	if err := in.read("instanceStorePolicy", &policy); err != nil {
		return resource.Quantity{}, err
	}
	if policy == "RAID0" && localDisksGB > 0 {
		return resource.ParseQuantity(fmt.Sprintf("%dG", localDisksGB))
	}
	if err := in.read("blockDeviceMappings", &mappings); err != nil {
		return resource.Quantity{}, err
	}
	for _, mapping := range mappings {
		if (mapping.RootVolume || len(mappings) == 1) && mapping.EBS.VolumeSize != "" {
			return resource.ParseQuantity(mapping.EBS.VolumeSize)
		}
	}
	return resource.ParseQuantity(defaultRootVolume)
}

// reservations are the capacity reservations that the class may launch into, by id.
func (in *EC2NodeClass) reservations() ([]string, error) {
	var terms []struct {
		ID string `json:"id"`
	}
	err := in.read("capacityReservationSelectorTerms", &terms)
	ids := make([]string, 0, len(terms))
	for _, term := range terms {
		ids = append(ids, term.ID)
	}
	return ids, err
}

// image is the id of the image that the class launches now: another selection or another release is another image.
func (in *EC2NodeClass) image(release int) string {
	return "ami-" + digest(map[string]any{"terms": in.Spec["amiSelectorTerms"], "release": release})[:17]
}

// hash changes with every field whose change drifts the class's nodes.
func (in *EC2NodeClass) hash() string {
	return digest(lo.OmitByKeys(in.Spec, notHashed))[:16]
}

func digest(value any) string {
	raw, err := json.Marshal(value)
	if err != nil {
		panic(err) // it came from JSON
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])
}

// nodeClassController plays the AWS provider's: a class is Ready, and stays until none of its nodes is left.
type nodeClassController struct{ client client.Client }

func (c nodeClassController) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	class := &EC2NodeClass{}
	if err := c.client.Get(ctx, request.NamespacedName, class); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	before := class.DeepCopyObject().(*EC2NodeClass)
	if !class.DeletionTimestamp.IsZero() {
		claims := &v1.NodeClaimList{}
		if err := c.client.List(ctx, claims, client.MatchingFields{"spec.nodeClassRef.name": class.Name}); err != nil {
			return reconcile.Result{}, err
		}
		if len(claims.Items) > 0 {
			return reconcile.Result{RequeueAfter: nodeClassStillInUse}, nil
		}
		controllerutil.RemoveFinalizer(class, nodeClassFinalizer)
		return reconcile.Result{}, client.IgnoreNotFound(c.client.Patch(ctx, class, client.MergeFrom(before)))
	}
	if controllerutil.AddFinalizer(class, nodeClassFinalizer) {
		if err := c.client.Patch(ctx, class, client.MergeFrom(before)); err != nil {
			return reconcile.Result{}, client.IgnoreNotFound(err)
		}
		before = class.DeepCopyObject().(*EC2NodeClass)
	}
	if root := class.StatusConditions().Root(); root.IsTrue() && root.ObservedGeneration == class.Generation {
		return reconcile.Result{}, nil
	}
	class.StatusConditions().SetTrue(status.ConditionReady)
	return reconcile.Result{}, client.IgnoreNotFound(c.client.Status().Patch(ctx, class, client.MergeFrom(before)))
}

func (c nodeClassController) register(manager ctrl.Manager) error {
	ofClaim := handler.EnqueueRequestsFromMapFunc(func(_ context.Context, o client.Object) []reconcile.Request {
		name := o.(*v1.NodeClaim).Spec.NodeClassRef.Name
		return []reconcile.Request{{NamespacedName: client.ObjectKey{Name: name}}}
	})
	return ctrl.NewControllerManagedBy(manager).Named("nodeclass").For(&EC2NodeClass{}).
		Watches(&v1.NodeClaim{}, ofClaim).Complete(c)
}
