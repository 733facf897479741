package main

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

func TestAVolumeIsInTheZoneOfTheNodeThatTheSchedulerChose(t *testing.T) {
	claim := &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Name: "work", Namespace: "notebooks", UID: "1"},
		Spec:       corev1.PersistentVolumeClaimSpec{StorageClassName: ptr.To("gp2")},
	}
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{corev1.LabelTopologyZone: "us-east-1b"}}}
	made := volumeFor(claim, node)
	if zone := made.Spec.NodeAffinity.Required.NodeSelectorTerms[0].MatchExpressions[0].Values; zone[0] != "us-east-1b" {
		t.Errorf("the volume is in %v", zone)
	}
	if made.Spec.ClaimRef.Name != "work" || made.Spec.StorageClassName != "gp2" {
		t.Errorf("the volume is for %v of %s", made.Spec.ClaimRef, made.Spec.StorageClassName)
	}
}
