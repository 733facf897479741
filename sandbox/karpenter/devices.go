package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/samber/lo"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"
)

const (
	wholeCard         = "nvidia.com/gpu"
	slicePrefix       = "nvidia.com/mig-"
	migLayoutLabel    = "nvidia.com/mig.config"
	pluginConfigLabel = "nvidia.com/device-plugin.config"
	operandsLabel     = "nvidia.com/gpu.deploy.operands"
	migConfigKey      = "config.yaml"
)

// operatorRelease is where the stand-in of the GPU Operator's release leaves the values that it was installed with.
var operatorRelease = client.ObjectKey{Namespace: "gpu-operator", Name: "sandbox-gpu-operator-release"}

func isCardResource(name corev1.ResourceName) bool {
	return name == wholeCard || strings.HasPrefix(string(name), slicePrefix)
}

// operatorValues are those of the chart's values that decide what a node offers.
type operatorValues struct {
	MIG struct {
		Strategy string `json:"strategy"`
	} `json:"mig"`
	MIGManager   operand `json:"migManager"`
	DevicePlugin operand `json:"devicePlugin"`
	DaemonSets   struct {
		Tolerations []corev1.Toleration `json:"tolerations"`
	} `json:"daemonsets"`
	Discovery struct {
		Worker struct {
			Tolerations []corev1.Toleration `json:"tolerations"`
			Affinity    corev1.Affinity     `json:"affinity"`
		} `json:"worker"`
	} `json:"node-feature-discovery"`
}

type operand struct {
	Enabled *bool `json:"enabled"`
	Config  struct {
		Name    string `json:"name"`
		Default string `json:"default"`
	} `json:"config"`
}

func (o operand) off() bool { return o.Enabled != nil && !*o.Enabled }

// migConfig is the MIG manager's file.
type migConfig struct {
	Layouts map[string][]struct {
		Devices any            `json:"devices"` // "all", or indexes
		Filter  any            `json:"device-filter"`
		Enabled bool           `json:"mig-enabled"`
		Slices  map[string]int `json:"mig-devices"`
	} `json:"mig-configs"`
}

// pluginConfig is one of the device plugin's files.
type pluginConfig struct {
	Sharing struct {
		TimeSlicing *shares `json:"timeSlicing"`
		MPS         *shares `json:"mps"`
	} `json:"sharing"`
}

type shares struct {
	RenameByDefault bool `json:"renameByDefault"`
	Resources       []struct {
		Name     string `json:"name"`
		Rename   string `json:"rename"`
		Replicas int    `json:"replicas"`
	} `json:"resources"`
}

// operatorDocuments is everything that NVIDIA's software reads in the cluster.
type operatorDocuments struct {
	values operatorValues
	mig    map[string]string
	plugin map[string]string
}

type devices struct{ reader client.Reader }

// offered is what NVIDIA's software would make of a node's cards, read from the documents that it would read.
func (d devices) offered(ctx context.Context, kind Type, labels map[string]string, taints []corev1.Taint) (corev1.ResourceList, error) {
	if kind.Cards == 0 {
		return corev1.ResourceList{}, nil
	}
	raw, err := d.data(ctx, operatorRelease)
	if err != nil || raw == nil {
		return corev1.ResourceList{}, err // no operator, no device plugin
	}
	documents := operatorDocuments{}
	if err := yaml.Unmarshal([]byte(raw["values.yaml"]), &documents.values); err != nil {
		return nil, fmt.Errorf("values of the GPU Operator: %w", err)
	}
	in := operatorRelease.Namespace
	if documents.mig, err = d.data(ctx, client.ObjectKey{Namespace: in, Name: documents.values.MIGManager.Config.Name}); err != nil {
		return nil, err
	}
	if documents.plugin, err = d.data(ctx, client.ObjectKey{Namespace: in, Name: documents.values.DevicePlugin.Config.Name}); err != nil {
		return nil, err
	}
	counts, err := documents.advertised(kind, labels, taints)
	if err != nil {
		return nil, err
	}
	return lo.MapEntries(counts, func(name string, count int64) (corev1.ResourceName, resource.Quantity) {
		return corev1.ResourceName(name), *resource.NewQuantity(count, resource.DecimalSI)
	}), nil
}

func (d devices) data(ctx context.Context, key client.ObjectKey) (map[string]string, error) {
	if key.Name == "" {
		return nil, nil
	}
	configMap := &corev1.ConfigMap{}
	if err := d.reader.Get(ctx, key, configMap); err != nil {
		return nil, client.IgnoreNotFound(err)
	}
	return configMap.Data, nil
}

// advertised counts the resources that the device plugin registers; nothing where the plugin does not run.
func (d operatorDocuments) advertised(kind Type, labels map[string]string, taints []corev1.Taint) (map[string]int64, error) {
	runs, err := d.operandsRun(labels, taints)
	if err != nil || !runs || d.values.DevicePlugin.off() {
		return nil, err
	}
	counts, err := d.partitioned(kind, labels)
	if err != nil {
		return nil, err
	}
	return d.shared(counts, labels)
}

// operandsRun says whether the operator's pods reach the node: the labelling worker first, then the DaemonSets.
func (d operatorDocuments) operandsRun(labels map[string]string, taints []corev1.Taint) (bool, error) {
	if labels[operandsLabel] == "false" {
		return false, nil
	}
	for _, tolerations := range [][]corev1.Toleration{d.values.DaemonSets.Tolerations, d.values.Discovery.Worker.Tolerations} {
		for _, taint := range taints {
			if taint.Effect != corev1.TaintEffectPreferNoSchedule && !tolerated(taint, tolerations) {
				return false, nil
			}
		}
	}
	worker := &corev1.Pod{Spec: corev1.PodSpec{Affinity: &d.values.Discovery.Worker.Affinity}}
	return nodeaffinity.GetRequiredNodeAffinity(worker).Match(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Labels: labels}})
}

func tolerated(taint corev1.Taint, by []corev1.Toleration) bool {
	return slices.ContainsFunc(by, func(toleration corev1.Toleration) bool {
		return (toleration.Effect == "" || toleration.Effect == taint.Effect) && (toleration.Key == "" || toleration.Key == taint.Key) &&
			(toleration.Operator == corev1.TolerationOpExists || toleration.Value == taint.Value)
	})
}

// partitioned counts whole cards and slices after the MIG manager's work. A layout that it does not know leaves the
// cards whole.
func (d operatorDocuments) partitioned(kind Type, labels map[string]string) (map[string]int64, error) {
	counts := map[string]int64{}
	name := lo.CoalesceOrEmpty(labels[migLayoutLabel], d.values.MIGManager.Config.Default)
	file := migConfig{}
	if err := yaml.Unmarshal([]byte(d.mig[migConfigKey]), &file); err != nil {
		return nil, fmt.Errorf("MIG layouts: %w", err)
	}
	layout := file.Layouts[name]
	if !kind.MIG || d.values.MIGManager.off() {
		layout = nil
	}
	for card := range kind.Cards {
		slices := map[string]int{}
		cut := false
		for _, entry := range layout {
			if covers(entry.Devices, card) && passes(entry.Filter, kind.Devices) {
				cut, slices = entry.Enabled, entry.Slices
			}
		}
		if !cut {
			counts[wholeCard]++
			continue
		}
		for profile, count := range slices {
			resource := slicePrefix + strings.ReplaceAll(profile, "+", ".")
			if d.values.MIG.Strategy == "single" {
				resource = wholeCard
			}
			counts[resource] += int64(count)
		}
	}
	return counts, nil
}

func covers(devices any, card int64) bool {
	indexes, listed := devices.([]any)
	return devices == "all" || listed && slices.Contains(indexes, any(float64(card)))
}

func passes(filter any, identities []string) bool {
	switch allowed := filter.(type) {
	case nil:
		return true
	case string:
		return slices.Contains(identities, allowed)
	case []any:
		return slices.ContainsFunc(allowed, func(identity any) bool { return slices.Contains(identities, fmt.Sprint(identity)) })
	}
	return false
}

// shared multiplies what the plugin is told to share. A file that it cannot find keeps it from starting.
func (d operatorDocuments) shared(counts map[string]int64, labels map[string]string) (map[string]int64, error) {
	key := lo.CoalesceOrEmpty(labels[pluginConfigLabel], d.values.DevicePlugin.Config.Default)
	if key == "" {
		return counts, nil
	}
	text, ok := d.plugin[key]
	if !ok {
		return nil, nil
	}
	file := pluginConfig{}
	if err := yaml.Unmarshal([]byte(text), &file); err != nil {
		return nil, fmt.Errorf("device plugin configuration %s: %w", key, err)
	}
	for _, sharing := range []*shares{file.Sharing.TimeSlicing, file.Sharing.MPS} {
		if sharing == nil {
			continue
		}
		for _, shared := range sharing.Resources {
			count, ok := counts[shared.Name]
			if !ok {
				continue
			}
			delete(counts, shared.Name)
			renamed := lo.Ternary(sharing.RenameByDefault, shared.Name+".shared", shared.Name)
			counts[lo.CoalesceOrEmpty(shared.Rename, renamed)] = count * int64(shared.Replicas)
		}
	}
	return counts, nil
}
