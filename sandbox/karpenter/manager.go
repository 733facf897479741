package main

import (
	"context"
	"fmt"

	"github.com/go-logr/logr"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/fields"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"

	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/operator/injection"
	"sigs.k8s.io/karpenter/pkg/operator/logging"
	"sigs.k8s.io/karpenter/pkg/operator/options"
)

const loopback = "127.0.0.1"

// newManager is Karpenter's manager, except that it serves metrics and health on loopback alone and elects nobody.
func newManager(ctx context.Context, logger logr.Logger) (manager.Manager, error) {
	settings := options.FromContext(ctx)
	config, err := ctrl.GetConfig()
	if err != nil {
		return nil, err
	}
	config.QPS, config.Burst = float32(settings.KubeClientQPS), settings.KubeClientBurst
	config.UserAgent = "karpenter/" + version
	mgr, err := ctrl.NewManager(config, ctrl.Options{
		Logger:                 logging.IgnoreDebugEvents(logger),
		Metrics:                server.Options{BindAddress: fmt.Sprintf("%s:%d", loopback, settings.MetricsPort)},
		HealthProbeBindAddress: fmt.Sprintf("%s:%d", loopback, settings.HealthProbePort),
		BaseContext: func() context.Context {
			return injection.WithOptionsOrDie(log.IntoContext(context.Background(), logger), options.Injectables...)
		},
		Cache: cache.Options{ByObject: map[client.Object]cache.ByObject{
			// Heartbeats of nodes only.
			&coordinationv1.Lease{}: {Field: fields.OneTermEqualSelector("metadata.namespace", corev1.NamespaceNodeLease)},
		}},
	})
	if err != nil {
		return nil, err
	}
	for _, index := range indexes() {
		if err := mgr.GetFieldIndexer().IndexField(ctx, index.of, index.field, index.value); err != nil {
			return nil, err
		}
	}
	if err := mgr.AddHealthzCheck("alive", healthz.Ping); err != nil {
		return nil, err
	}
	return mgr, nil
}

type index struct {
	of    client.Object
	field string
	value client.IndexerFunc
}

func on[T client.Object](kind T, field string, value func(T) string) index {
	return index{kind, field, func(o client.Object) []string { return []string{value(o.(T))} }}
}

// indexes are the fields by which Karpenter's controllers look things up.
func indexes() []index {
	return []index{
		on(&corev1.Pod{}, "spec.nodeName", func(o *corev1.Pod) string { return o.Spec.NodeName }),
		on(&corev1.Node{}, "spec.providerID", func(o *corev1.Node) string { return o.Spec.ProviderID }),
		on(&storagev1.VolumeAttachment{}, "spec.nodeName", func(o *storagev1.VolumeAttachment) string { return o.Spec.NodeName }),
		on(&v1.NodeClaim{}, "status.providerID", func(o *v1.NodeClaim) string { return o.Status.ProviderID }),
		on(&v1.NodeClaim{}, "spec.nodeClassRef.group", func(o *v1.NodeClaim) string { return o.Spec.NodeClassRef.Group }),
		on(&v1.NodeClaim{}, "spec.nodeClassRef.kind", func(o *v1.NodeClaim) string { return o.Spec.NodeClassRef.Kind }),
		on(&v1.NodeClaim{}, "spec.nodeClassRef.name", func(o *v1.NodeClaim) string { return o.Spec.NodeClassRef.Name }),
		on(&v1.NodePool{}, "spec.template.spec.nodeClassRef.group", func(o *v1.NodePool) string { return o.Spec.Template.Spec.NodeClassRef.Group }),
		on(&v1.NodePool{}, "spec.template.spec.nodeClassRef.kind", func(o *v1.NodePool) string { return o.Spec.Template.Spec.NodeClassRef.Kind }),
		on(&v1.NodePool{}, "spec.template.spec.nodeClassRef.name", func(o *v1.NodePool) string { return o.Spec.Template.Spec.NodeClassRef.Name }),
	}
}
