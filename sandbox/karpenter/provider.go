package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/awslabs/operatorpkg/status"
	"github.com/samber/lo"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/apis/v1alpha1"
	"sigs.k8s.io/karpenter/pkg/cloudprovider"
	"sigs.k8s.io/karpenter/pkg/controllers/nodeoverlay"
	"sigs.k8s.io/karpenter/pkg/operator/options"
	"sigs.k8s.io/karpenter/pkg/scheduling"
	"sigs.k8s.io/karpenter/pkg/utils/resources"
)

const (
	providerPrefix = "sandbox:///"
	kwokAnnotation = "kwok.x-k8s.io/node"
	// ImageDrift is the reason that the AWS provider gives.
	ImageDrift cloudprovider.DriftReason = "AMIDrift"
	// ClassDrift likewise.
	ClassDrift cloudprovider.DriftReason = "NodeClassDrift"
)

// Provider is EC2 as far as Karpenter can tell: instances are Node objects that kwok keeps alive.
type Provider struct {
	client   client.Client
	catalog  *Catalog
	injected *Injected
	overlays *nodeoverlay.InstanceTypeStore
	devices  devices
}

func (p *Provider) Name() string { return "aws" }

func (p *Provider) GetSupportedNodeClasses() []status.Object { return []status.Object{&EC2NodeClass{}} }

func (p *Provider) RepairPolicies() []cloudprovider.RepairPolicy { return nil }

// GetInstanceTypes refuses a NodePool that requires a label that no type here has: the real types may have it.
func (p *Provider) GetInstanceTypes(ctx context.Context, pool *v1.NodePool) ([]*cloudprovider.InstanceType, error) {
	if unknown := p.unknownKeys(pool); len(unknown) > 0 {
		return nil, fmt.Errorf(
			"NodePool %s requires %s, which no instance type of the sandbox has; they have %s",
			pool.Name, strings.Join(unknown, ", "), strings.Join(sets.List(p.catalog.labelKeys()), ", "),
		)
	}
	return p.typesOf(ctx, pool.Spec.Template.Spec.NodeClassRef.Name)
}

func (p *Provider) unknownKeys(pool *v1.NodePool) []string {
	return lo.FilterMap(pool.Spec.Template.Spec.Requirements, func(requirement v1.NodeSelectorRequirementWithMinValues, _ int) (string, bool) {
		_, own := pool.Spec.Template.Labels[requirement.Key]
		return requirement.Key, !own && !v1.WellKnownLabels.Has(requirement.Key)
	})
}

func (p *Provider) typesOf(ctx context.Context, nodeClass string) ([]*cloudprovider.InstanceType, error) {
	class := &EC2NodeClass{}
	if err := p.client.Get(ctx, client.ObjectKey{Name: nodeClass}, class); err != nil {
		return nil, err
	}
	nodes, err := p.nodes(ctx)
	if err != nil {
		return nil, err
	}
	left := func(of Reservation) int {
		return of.Count - lo.CountBy(nodes, func(n corev1.Node) bool { return n.Labels[reservationIDLabel] == of.ID })
	}
	return p.catalog.instanceTypes(class, p.injected.believed, left)
}

// Create launches what EC2 would: of all that the claim allows, what is paid for already, then spot, then on-demand,
// and of that the cheapest.
func (p *Provider) Create(ctx context.Context, claim *v1.NodeClaim) (*v1.NodeClaim, error) {
	class := &EC2NodeClass{}
	if err := p.client.Get(ctx, client.ObjectKey{Name: claim.Spec.NodeClassRef.Name}, class); err != nil {
		return nil, cloudprovider.NewInsufficientCapacityError(err)
	}
	if !class.DeletionTimestamp.IsZero() {
		return nil, cloudprovider.NewNodeClassNotReadyError(fmt.Errorf("EC2NodeClass %s is being deleted", class.Name))
	}
	types, err := p.typesOf(ctx, class.Name)
	if err != nil {
		return nil, err
	}
	if pool := claim.Labels[v1.NodePoolLabelKey]; pool != "" && options.FromContext(ctx).FeatureGates.NodeOverlay {
		if types, err = p.overlays.ApplyAll(pool, types); err != nil {
			return nil, err
		}
	}
	chosen, from, ok := p.launch(claim, types)
	if !ok {
		return nil, cloudprovider.NewInsufficientCapacityError(
			errors.New("no offering that the claim allows has capacity: " + strings.Join(claimedTypes(claim), ", ")),
		)
	}
	launched := p.describe(claim, class, chosen, from)
	node, err := p.node(ctx, claim, launched)
	if err != nil {
		return nil, err
	}
	if err := p.client.Create(ctx, node); err != nil {
		return nil, fmt.Errorf("creating the node of %s: %w", claim.Name, err)
	}
	return launched, nil
}

type choice struct {
	it   *cloudprovider.InstanceType
	from *cloudprovider.Offering
}

func (p *Provider) launch(claim *v1.NodeClaim, types []*cloudprovider.InstanceType) (*cloudprovider.InstanceType, *cloudprovider.Offering, bool) {
	required := scheduling.NewNodeSelectorRequirementsWithMinValues(claim.Spec.Requirements...)
	var choices []choice
	for _, it := range types {
		if !required.IsCompatible(it.Requirements, scheduling.AllowUndefinedWellKnownLabels) ||
			!resources.Fits(claim.Spec.Resources.Requests, it.Allocatable()) {
			continue
		}
		for _, from := range it.Offerings.Available().Compatible(required) {
			choices = append(choices, choice{it, from})
		}
	}
	slices.SortStableFunc(choices, compareChoices)
	for _, choice := range choices {
		if p.injected.tryLaunch(Offer{choice.it.Name, choice.from.Zone(), choice.from.CapacityType()}) {
			return choice.it, choice.from, true
		}
	}
	return nil, nil, false
}

func compareChoices(a, b choice) int {
	order := []string{v1.CapacityTypeReserved, v1.CapacityTypeSpot, v1.CapacityTypeOnDemand}
	if by := slices.Index(order, a.from.CapacityType()) - slices.Index(order, b.from.CapacityType()); by != 0 {
		return by
	}
	if a.from.Price != b.from.Price {
		return lo.Ternary(a.from.Price < b.from.Price, -1, 1)
	}
	// By name and zone, so that a run can be repeated.
	return strings.Compare(a.it.Name+a.from.Zone(), b.it.Name+b.from.Zone())
}

// describe is the claim as Karpenter learns it from the launch: with the capacity that overlays promise.
func (p *Provider) describe(
	claim *v1.NodeClaim, class *EC2NodeClass, it *cloudprovider.InstanceType, from *cloudprovider.Offering,
) *v1.NodeClaim {
	launched := &v1.NodeClaim{ObjectMeta: metav1.ObjectMeta{Name: claim.Name, Labels: map[string]string{}}}
	for _, requirements := range []scheduling.Requirements{it.Requirements, from.Requirements} {
		for _, requirement := range requirements {
			if requirement.Operator() == corev1.NodeSelectorOpIn && requirement.Len() == 1 {
				launched.Labels[requirement.Key] = requirement.Values()[0]
			}
		}
	}
	launched.Annotations = map[string]string{nodeClassHashKey: class.hash()}
	if it.IsCapacityOverlayApplied() {
		launched.Annotations[v1alpha1.CapacityOverlayAppliedAnnotationKey] = "true"
	}
	offered := func(_ corev1.ResourceName, q resource.Quantity) bool { return !resources.IsZero(q) }
	launched.Status.Capacity = lo.PickBy(it.Capacity, offered)
	launched.Status.Allocatable = lo.PickBy(it.Allocatable(), offered)
	launched.Status.ProviderID = providerPrefix + from.Zone() + "/" + claim.Name
	launched.Status.ImageID = class.image(p.injected.releaseOf(class.Name))
	return launched
}

// node is what the kubelet registers: what the machine has, and of its cards what NVIDIA's software would offer.
func (p *Provider) node(ctx context.Context, claim, launched *v1.NodeClaim) (*corev1.Node, error) {
	labels := lo.Assign(launched.Labels, claim.Labels, map[string]string{corev1.LabelHostname: claim.Name})
	kind, _ := p.catalog.find(launched.Labels[corev1.LabelInstanceTypeStable])
	offered, err := p.devices.offered(ctx, kind, labels, claim.Spec.Taints)
	if err != nil {
		return nil, err
	}
	notCard := func(name corev1.ResourceName, _ resource.Quantity) bool { return !isCardResource(name) }
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{
			Name:        claim.Name,
			Labels:      labels,
			Annotations: map[string]string{kwokAnnotation: "fake"},
		},
		Spec: corev1.NodeSpec{
			ProviderID: launched.Status.ProviderID,
			Taints:     []corev1.Taint{v1.UnregisteredNoExecuteTaint},
		},
		Status: corev1.NodeStatus{
			Capacity:    lo.Assign(lo.PickBy(launched.Status.Capacity, notCard), offered),
			Allocatable: lo.Assign(lo.PickBy(launched.Status.Allocatable, notCard), offered),
			NodeInfo:    corev1.NodeSystemInfo{Architecture: kind.Architecture, OperatingSystem: "linux"},
		},
	}, nil
}

// Delete ends an instance. Its node is gone by then, as Karpenter waits for that.
func (p *Provider) Delete(ctx context.Context, claim *v1.NodeClaim) error {
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: claim.Name}}
	if err := client.IgnoreNotFound(p.client.Delete(ctx, node)); err != nil {
		return err
	}
	return cloudprovider.NewNodeClaimNotFoundError(errors.New("the instance is terminated"))
}

func (p *Provider) Get(ctx context.Context, providerID string) (*v1.NodeClaim, error) {
	name := providerID[strings.LastIndex(providerID, "/")+1:]
	node := &corev1.Node{}
	if err := p.client.Get(ctx, client.ObjectKey{Name: name}, node); err != nil {
		if client.IgnoreNotFound(err) == nil {
			return nil, cloudprovider.NewNodeClaimNotFoundError(err)
		}
		return nil, err
	}
	return instance(*node), nil
}

func (p *Provider) List(ctx context.Context) ([]*v1.NodeClaim, error) {
	nodes, err := p.nodes(ctx)
	return lo.Map(nodes, func(node corev1.Node, _ int) *v1.NodeClaim { return instance(node) }), err
}

func (p *Provider) nodes(ctx context.Context) ([]corev1.Node, error) {
	list := &corev1.NodeList{}
	err := p.client.List(ctx, list)
	return lo.Filter(list.Items, func(node corev1.Node, _ int) bool {
		return strings.HasPrefix(node.Spec.ProviderID, providerPrefix)
	}), err
}

func instance(node corev1.Node) *v1.NodeClaim {
	return &v1.NodeClaim{
		ObjectMeta: metav1.ObjectMeta{
			Name: node.Name, Labels: node.Labels, CreationTimestamp: node.CreationTimestamp, DeletionTimestamp: node.DeletionTimestamp,
		},
		Status: v1.NodeClaimStatus{
			NodeName: node.Name, ProviderID: node.Spec.ProviderID,
			Capacity: node.Status.Capacity, Allocatable: node.Status.Allocatable,
		},
	}
}

// IsDrifted says whether the class launches another image by now, or has changed otherwise.
func (p *Provider) IsDrifted(ctx context.Context, claim *v1.NodeClaim) (cloudprovider.DriftReason, error) {
	class := &EC2NodeClass{}
	if err := p.client.Get(ctx, client.ObjectKey{Name: claim.Spec.NodeClassRef.Name}, class); err != nil {
		return "", client.IgnoreNotFound(err)
	}
	if claim.Status.ImageID != class.image(p.injected.releaseOf(class.Name)) {
		return ImageDrift, nil
	}
	if known, ok := claim.Annotations[nodeClassHashKey]; ok && known != class.hash() {
		return ClassDrift, nil
	}
	return "", nil
}

func claimedTypes(claim *v1.NodeClaim) []string {
	required := scheduling.NewNodeSelectorRequirementsWithMinValues(claim.Spec.Requirements...)
	return required.Get(corev1.LabelInstanceTypeStable).Values()
}
