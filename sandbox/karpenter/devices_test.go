package main

import (
	"maps"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

const values = `
mig: {strategy: mixed}
migManager: {enabled: true, config: {name: mig-layouts, default: all-disabled}}
devicePlugin: {enabled: true, config: {name: sharing, default: ""}}
daemonsets: {tolerations: [{key: nvidia.com/gpu, operator: Exists}, {key: gpu.pool, operator: Exists}]}
node-feature-discovery:
  worker:
    tolerations: [{key: nvidia.com/gpu, operator: Exists}, {key: gpu.pool, operator: Exists}]
    affinity:
      nodeAffinity:
        requiredDuringSchedulingIgnoredDuringExecution:
          nodeSelectorTerms: [{matchExpressions: [{key: gpu.vendor, operator: Exists}]}]
`

const layouts = `
mig-configs:
  all-disabled: [{devices: all, mig-enabled: false}]
  seven: [{device-filter: ["0x20B210DE"], devices: all, mig-enabled: true, mig-devices: {1g.10gb: 7}}]
  other-card: [{device-filter: ["0x20B010DE"], devices: all, mig-enabled: true, mig-devices: {1g.5gb: 7}}]
  mixed:
  - {devices: [0], mig-enabled: false}
  - {devices: [1], mig-enabled: true, mig-devices: {1g.10gb+me: 1, 3g.40gb: 1}}
`

const sharing = `
sharing:
  timeSlicing: {resources: [{name: nvidia.com/gpu, replicas: 4}]}
`

func documents(t *testing.T, change func(*operatorDocuments)) operatorDocuments {
	t.Helper()
	made := operatorDocuments{
		mig:    map[string]string{migConfigKey: layouts},
		plugin: map[string]string{"x4": sharing},
	}
	if err := yaml.Unmarshal([]byte(values), &made.values); err != nil {
		t.Fatal(err)
	}
	if change != nil {
		change(&made)
	}
	return made
}

func TestANodeOffersWhatTheDocumentsMakeOfItsCards(t *testing.T) {
	a100 := Type{Cards: 2, MIG: true, Devices: []string{"0x20B210DE"}}
	t4 := Type{Cards: 2}
	cases := map[string]struct {
		kind   Type
		labels map[string]string
		change func(*operatorDocuments)
		want   map[string]int64
	}{
		"whole cards without a word":        {a100, nil, nil, map[string]int64{"nvidia.com/gpu": 2}},
		"every card cut":                    {a100, map[string]string{migLayoutLabel: "seven"}, nil, map[string]int64{"nvidia.com/mig-1g.10gb": 14}},
		"a layout of another card":          {a100, map[string]string{migLayoutLabel: "other-card"}, nil, map[string]int64{"nvidia.com/gpu": 2}},
		"a layout that nobody wrote":        {a100, map[string]string{migLayoutLabel: "misspelt"}, nil, map[string]int64{"nvidia.com/gpu": 2}},
		"a card that cannot be cut":         {t4, map[string]string{migLayoutLabel: "mixed"}, nil, map[string]int64{"nvidia.com/gpu": 2}},
		"shared cards":                      {t4, map[string]string{pluginConfigLabel: "x4"}, nil, map[string]int64{"nvidia.com/gpu": 8}},
		"a sharing that nobody wrote":       {t4, map[string]string{pluginConfigLabel: "x5"}, nil, nil},
		"an operand kept away by its label": {t4, map[string]string{operandsLabel: "false"}, nil, nil},
		"one card whole and one cut in two": {
			a100, map[string]string{migLayoutLabel: "mixed"}, nil,
			map[string]int64{"nvidia.com/gpu": 1, "nvidia.com/mig-1g.10gb.me": 1, "nvidia.com/mig-3g.40gb": 1},
		},
		"slices called cards": {
			a100, map[string]string{migLayoutLabel: "seven"},
			func(d *operatorDocuments) { d.values.MIG.Strategy = "single" }, map[string]int64{"nvidia.com/gpu": 14},
		},
	}
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			labels := map[string]string{"gpu.vendor": "nvidia"}
			maps.Copy(labels, test.labels)
			got, err := documents(t, test.change).advertised(test.kind, labels, nil)
			if err != nil || !maps.Equal(got, test.want) {
				t.Errorf("offered %v, %v; want %v", got, err, test.want)
			}
		})
	}
}

func TestANodeThatTheOperatorCannotReachOffersNothing(t *testing.T) {
	taint := func(key string) []corev1.Taint {
		return []corev1.Taint{{Key: key, Effect: corev1.TaintEffectNoSchedule}}
	}
	labelled := map[string]string{"gpu.vendor": "nvidia"}
	cases := map[string]struct {
		labels map[string]string
		taints []corev1.Taint
		change func(*operatorDocuments)
	}{
		"a taint that nobody tolerates":             {labelled, taint("protected"), nil},
		"no label that the worker asks for":         {nil, nil, nil},
		"a taint that the worker does not tolerate": {labelled, taint("gpu.pool"), func(d *operatorDocuments) { d.values.Discovery.Worker.Tolerations = nil }},
	}
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			if got, err := documents(t, test.change).advertised(Type{Cards: 1}, test.labels, test.taints); err != nil || len(got) > 0 {
				t.Errorf("offered %v, %v; want nothing", got, err)
			}
		})
	}
	if got, _ := documents(t, nil).advertised(Type{Cards: 1}, labelled, taint("gpu.pool")); got[wholeCard] != 1 {
		t.Errorf("a taint that both tolerate keeps nothing away; offered %v", got)
	}
}
