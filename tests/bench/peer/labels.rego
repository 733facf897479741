# The label standard on NodePools, for the peer beside which `lint` is measured: what our rule gpu-labels-complete asks.
package main

import rego.v1

required := {"gpu.vendor", "gpu.model", "gpu.mem", "gpu.mig", "gpu.role", "gpu.pool"}

allowed := {
	"gpu.vendor": {"nvidia"},
	"gpu.mig": {"enabled", "disabled"},
	"gpu.role": {"chief", "worker"},
	"gpu.pool": {"train", "infer", "dev"},
}

is_gpu if {
	input.kind == "NodePool"
	some key, _ in labels
	startswith(key, "gpu.")
}

labels := object.get(input.spec.template.metadata, "labels", {})

deny contains msg if {
	is_gpu
	some key in required
	not labels[key]
	msg := sprintf("NodePool %s: add the label %s", [input.metadata.name, key])
}

deny contains msg if {
	is_gpu
	some key, values in allowed
	labels[key]
	not labels[key] in values
	msg := sprintf("NodePool %s: %s is %s, one of %v is wanted", [input.metadata.name, key, labels[key], values])
}

deny contains msg if {
	is_gpu
	labels["gpu.mig"] == "enabled"
	not labels["gpu.mig.profile"]
	msg := sprintf("NodePool %s: add the label gpu.mig.profile", [input.metadata.name])
}

deny contains msg if {
	is_gpu
	labels["gpu.mig"] == "disabled"
	labels["gpu.mig.profile"]
	msg := sprintf("NodePool %s: remove the label gpu.mig.profile", [input.metadata.name])
}
