package main

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"

	"github.com/samber/lo"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/sets"

	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/cloudprovider"
	"sigs.k8s.io/karpenter/pkg/scheduling"
	"sigs.k8s.io/karpenter/pkg/utils/resources"
)

const localDisksLabel = awsGroup + "/instance-local-nvme"

// Catalog is what EC2 offers in one region, as the platform's own catalog has it.
type Catalog struct {
	Region       string        `json:"region"`
	Zones        []string      `json:"zones"`
	Types        []Type        `json:"types"`
	Reservations []Reservation `json:"reservations"`
}

// Type is one instance type.
type Type struct {
	Name         string              `json:"name"`
	Architecture string              `json:"architecture"`
	Labels       map[string]string   `json:"labels"`
	Capacity     corev1.ResourceList `json:"capacity"`
	Allocatable  corev1.ResourceList `json:"allocatable"`
	// Cards are physical NVIDIA cards.
	Cards int64 `json:"cards"`
	// MIG says whether the cards can be cut.
	MIG bool `json:"mig"`
	// Devices are the PCI identities by which a MIG layout may name the card.
	Devices []string `json:"devices"`
	// UsdPerHour is by capacity type; a type that the region lacks, or without a public price, has none.
	UsdPerHour map[string]float64 `json:"usdPerHour"`
}

// Reservation is capacity that is paid for whether it is used or not.
type Reservation struct {
	ID           string `json:"id"`
	InstanceType string `json:"instanceType"`
	Zone         string `json:"zone"`
	Count        int    `json:"count"`
}

func readCatalog(path string) (*Catalog, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	catalog := &Catalog{}
	if err := json.Unmarshal(raw, catalog); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if len(catalog.Types) == 0 || len(catalog.Zones) == 0 {
		return nil, fmt.Errorf("%s: a region has zones and instance types", path)
	}
	return catalog, nil
}

// labelKeys are the keys of the types' own labels: a NodePool may require these and what Karpenter knows anyway.
func (c *Catalog) labelKeys() sets.Set[string] {
	keys := sets.New[string]()
	for _, kind := range c.Types {
		keys.Insert(lo.Keys(kind.Labels)...)
	}
	return keys
}

func (c *Catalog) find(name string) (Type, bool) {
	return lo.Find(c.Types, func(kind Type) bool { return kind.Name == name })
}

// declare tells Karpenter's packages about the cloud, as the AWS provider does when it starts.
func (c *Catalog) declare() {
	v1.WellKnownLabels = v1.WellKnownLabels.Union(c.labelKeys()).Insert(reservationIDLabel)
	// What an overlay cannot change; nvidia.com/gpu is not among them.
	v1.WellKnownResources = v1.WellKnownResources.Insert(
		"vpc.amazonaws.com/efa", "vpc.amazonaws.com/pod-eni", "aws.amazon.com/neuron", "aws.amazon.com/neuroncore",
	)
	cloudprovider.ReservationIDLabel = reservationIDLabel
	cloudprovider.ReservedCapacityLabels.Insert(reservationIDLabel)
}

// instanceTypes are the types as a class launches them. available says whether an offering is believed to be there,
// and left how many nodes a reservation still takes.
func (c *Catalog) instanceTypes(
	class *EC2NodeClass, available func(instanceType, zone, market string) bool, left func(Reservation) int,
) ([]*cloudprovider.InstanceType, error) {
	reservations, err := class.reservations()
	if err != nil {
		return nil, err
	}
	types := make([]*cloudprovider.InstanceType, 0, len(c.Types))
	for _, kind := range c.Types {
		instanceType, err := c.instanceType(kind, class)
		if err != nil {
			return nil, err
		}
		for _, market := range []string{v1.CapacityTypeSpot, v1.CapacityTypeOnDemand} {
			price, ok := kind.UsdPerHour[market]
			for _, zone := range c.Zones {
				if ok {
					instanceType.Offerings = append(instanceType.Offerings, offering(market, zone, "", price, available(kind.Name, zone, market)))
				}
			}
		}
		for _, reserved := range c.Reservations {
			if reserved.InstanceType == kind.Name && slices.Contains(reservations, reserved.ID) {
				// Paid for already, so nearly free, and yet dearer the larger it is: as the AWS provider reckons.
				price := kind.UsdPerHour[v1.CapacityTypeOnDemand] / 10_000_000
				offer := offering(v1.CapacityTypeReserved, reserved.Zone, reserved.ID, price, left(reserved) > 0)
				offer.ReservationCapacity = left(reserved)
				instanceType.Offerings = append(instanceType.Offerings, offer)
			}
		}
		describeOfferings(instanceType)
		types = append(types, instanceType)
	}
	return types, nil
}

func (c *Catalog) instanceType(kind Type, class *EC2NodeClass) (*cloudprovider.InstanceType, error) {
	disks, _ := strconv.ParseInt(kind.Labels[localDisksLabel], 10, 64)
	storage, err := class.rootVolume(disks)
	if err != nil {
		return nil, fmt.Errorf("EC2NodeClass %s: %w", class.Name, err)
	}
	requirements := scheduling.NewLabelRequirements(kind.Labels)
	requirements.Add(
		scheduling.NewRequirement(corev1.LabelInstanceTypeStable, corev1.NodeSelectorOpIn, kind.Name),
		scheduling.NewRequirement(corev1.LabelArchStable, corev1.NodeSelectorOpIn, kind.Architecture),
		scheduling.NewRequirement(corev1.LabelOSStable, corev1.NodeSelectorOpIn, string(corev1.Linux)),
		scheduling.NewRequirement(corev1.LabelTopologyRegion, corev1.NodeSelectorOpIn, c.Region),
	)
	// A label that other types have, this one lacks for certain.
	for key := range c.labelKeys() {
		if _, ok := kind.Labels[key]; !ok {
			requirements.Add(scheduling.NewRequirement(key, corev1.NodeSelectorOpDoesNotExist))
		}
	}
	overhead := resources.Subtract(lo.PickByKeys(kind.Capacity, lo.Keys(kind.Allocatable)), kind.Allocatable)
	// As the AWS provider reckons: 1 GiB for the system, a tenth before pods are evicted.
	overhead[corev1.ResourceEphemeralStorage] = *resource.NewQuantity(storage.Value()/10+(1<<30), resource.BinarySI)
	return &cloudprovider.InstanceType{
		Name:         kind.Name,
		Requirements: requirements,
		Capacity:     lo.Assign(kind.Capacity, corev1.ResourceList{corev1.ResourceEphemeralStorage: storage}),
		Overhead:     &cloudprovider.InstanceTypeOverhead{KubeReserved: overhead},
	}, nil
}

func offering(market, zone, reservation string, price float64, available bool) *cloudprovider.Offering {
	requirements := scheduling.NewRequirements(
		scheduling.NewRequirement(v1.CapacityTypeLabelKey, corev1.NodeSelectorOpIn, market),
		scheduling.NewRequirement(corev1.LabelTopologyZone, corev1.NodeSelectorOpIn, zone),
	)
	if reservation == "" {
		requirements.Add(scheduling.NewRequirement(reservationIDLabel, corev1.NodeSelectorOpDoesNotExist))
	} else {
		requirements.Add(scheduling.NewRequirement(reservationIDLabel, corev1.NodeSelectorOpIn, reservation))
	}
	return &cloudprovider.Offering{Requirements: requirements, Price: price, Available: available}
}

// describeOfferings makes the type require the markets and zones in which it is offered at all.
func describeOfferings(of *cloudprovider.InstanceType) {
	markets, zones := sets.New[string](), sets.New[string]()
	for _, offer := range of.Offerings {
		markets.Insert(offer.CapacityType())
		zones.Insert(offer.Zone())
	}
	of.Requirements.Add(
		scheduling.NewRequirement(v1.CapacityTypeLabelKey, corev1.NodeSelectorOpIn, sets.List(markets)...),
		scheduling.NewRequirement(corev1.LabelTopologyZone, corev1.NodeSelectorOpIn, sets.List(zones)...),
	)
}
