package main

import (
	"path/filepath"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
)

func catalog() *Catalog {
	room := func(cpu, memory string) corev1.ResourceList {
		return corev1.ResourceList{"cpu": resource.MustParse(cpu), "memory": resource.MustParse(memory)}
	}
	return &Catalog{
		Region: "us-east-1", Zones: []string{"us-east-1a", "us-east-1b"},
		Types: []Type{
			{
				Name: "g6.xlarge", Architecture: "amd64", Cards: 1, Labels: map[string]string{localDisksLabel: "250", "family": "g6"},
				Capacity: room("4", "16Gi"), Allocatable: room("3920m", "14Gi"),
				UsdPerHour: map[string]float64{"spot": 0.3, "on-demand": 0.8},
			},
			{
				Name: "p5.48xlarge", Architecture: "amd64", Cards: 8, Labels: map[string]string{"family": "p5"},
				Capacity: room("192", "2Ti"), Allocatable: room("191", "1900Gi"), UsdPerHour: map[string]float64{"on-demand": 55},
			},
		},
		Reservations: []Reservation{{ID: "cr-1", InstanceType: "p5.48xlarge", Zone: "us-east-1b", Count: 2}},
	}
}

func class(spec map[string]any) *EC2NodeClass {
	return &EC2NodeClass{ObjectMeta: metav1.ObjectMeta{Name: "train"}, Spec: spec}
}

func always(string, string, string) bool { return true }

func TestATypeOffersWhatItsCatalogRowSays(t *testing.T) {
	types, err := catalog().instanceTypes(class(nil), always, nil)
	if err != nil {
		t.Fatal(err)
	}
	small := types[0]
	if got := small.Allocatable(); got.Cpu().String() != "3920m" || got.Memory().String() != "14Gi" {
		t.Errorf("pods can have %v", got)
	}
	if len(small.Offerings) != 4 || small.Offerings.Cheapest().Price != 0.3 {
		t.Errorf("offered as %v", small.Offerings)
	}
	if len(types[1].Offerings) != 2 {
		t.Errorf("a type without a spot price is offered as %v", types[1].Offerings)
	}
	if operator := types[1].Requirements.Get(localDisksLabel).Operator(); operator != corev1.NodeSelectorOpDoesNotExist {
		t.Errorf("a label that the type lacks is %s", operator)
	}
}

func TestAReservationIsOfferedToTheClassThatNamesItWhileItLasts(t *testing.T) {
	named := class(map[string]any{"capacityReservationSelectorTerms": []any{map[string]any{"id": "cr-1"}}})
	for left, want := range map[int]bool{2: true, 0: false} {
		types, err := catalog().instanceTypes(named, always, func(Reservation) int { return left })
		if err != nil {
			t.Fatal(err)
		}
		reserved := types[1].Offerings[2]
		if reserved.CapacityType() != v1.CapacityTypeReserved || reserved.Available != want || reserved.ReservationCapacity != left {
			t.Errorf("with %d left the reservation is %v", left, reserved)
		}
	}
}

func TestTheRootVolumeIsTheClasssOwn(t *testing.T) {
	sized := map[string]any{"blockDeviceMappings": []any{map[string]any{"rootVolume": true, "ebs": map[string]any{"volumeSize": "500Gi"}}}}
	for want, spec := range map[string]map[string]any{"500Gi": sized, "20Gi": nil, "250G": {"instanceStorePolicy": "RAID0"}} {
		if got, err := class(spec).rootVolume(250); err != nil || got.String() != want {
			t.Errorf("%v has %v, %v; want %s", spec, got.String(), err, want)
		}
	}
}

func TestANewerImageAndAChangedClassAreSeen(t *testing.T) {
	first := class(map[string]any{"amiSelectorTerms": "v1", "role": "nodes"})
	if first.image(0) == first.image(1) || first.image(0) == class(map[string]any{"amiSelectorTerms": "v2"}).image(0) {
		t.Error("another image has the same id")
	}
	if first.hash() != class(map[string]any{"amiSelectorTerms": "v2", "role": "nodes"}).hash() {
		t.Error("an image selection changes the hash")
	}
	if first.hash() == class(map[string]any{"amiSelectorTerms": "v1", "role": "others"}).hash() {
		t.Error("a changed role does not change the hash")
	}
}

func injected(t *testing.T) *Injected {
	t.Helper()
	made, err := loadInjected(filepath.Join(t.TempDir(), "state.json"))
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestALackIsLearnedByTryingAndForgottenInTime(t *testing.T) {
	cloud := injected(t)
	must(t, cloud.withdraw(Offer{InstanceType: "g6.xlarge", Market: "spot"}))
	lacking := Offer{"g6.xlarge", "us-east-1a", "spot"}
	if !cloud.believed("g6.xlarge", "us-east-1a", "spot") {
		t.Error("nobody has tried yet")
	}
	if cloud.tryLaunch(lacking) || !cloud.tryLaunch(Offer{"g6.xlarge", "us-east-1a", "on-demand"}) {
		t.Error("what was withdrawn can be launched, or more was withdrawn than was said")
	}
	if cloud.believed("g6.xlarge", "us-east-1a", "spot") || !cloud.believed("g6.xlarge", "us-east-1b", "spot") {
		t.Error("a failed launch teaches about its own zone")
	}
	must(t, cloud.setClock(time.Now().Add(lackRemembered+time.Minute)))
	if !cloud.believed("g6.xlarge", "us-east-1a", "spot") {
		t.Error("a lack is remembered for three minutes")
	}
	must(t, cloud.restore())
	if !cloud.tryLaunch(lacking) {
		t.Error("what was restored cannot be launched")
	}
}

func TestWhatWasDoneToTheCloudOutlivesTheProcess(t *testing.T) {
	cloud := injected(t)
	must(t, cloud.withdraw(Offer{Zone: "us-east-1a"}))
	must(t, cloud.release("train"))
	must(t, cloud.setClock(time.Date(2027, 1, 5, 10, 30, 0, 0, time.UTC)))
	again, err := loadInjected(cloud.path)
	must(t, err)
	if len(again.snapshot().Withdrawn) != 1 || again.releaseOf("train") != 1 || again.Now().Year() != 2027 {
		t.Errorf("found again: %+v", again.snapshot())
	}
}

func TestPaidCapacityComesFirstThenSpotThenTheCheapest(t *testing.T) {
	types, err := catalog().instanceTypes(class(nil), always, nil)
	must(t, err)
	spot, onDemand := types[0].Offerings[0], types[0].Offerings[2]
	dear := types[1].Offerings[0]
	reserved := choice{types[1], offering(v1.CapacityTypeReserved, "us-east-1a", "cr-1", 9, true)}
	order := []choice{reserved, {types[0], spot}, {types[0], onDemand}, {types[1], dear}}
	for i := range order[:len(order)-1] {
		if compareChoices(order[i], order[i+1]) >= 0 || compareChoices(order[i+1], order[i]) <= 0 {
			t.Errorf("%v does not come before %v", order[i].from, order[i+1].from)
		}
	}
}
