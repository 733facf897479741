"""Documents that the sandbox adds to a cluster: the GPU Operator's stand-in, storage, and a check of NodePool labels.

The GPU Operator's pods cannot run here. The sandbox's Karpenter computes the devices that they would advertise on a
node (``sandbox/karpenter/devices.go``) from the documents that they would read. ``operator_documents`` puts the
release's values where that program reads them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import cast

from gpuplatform.render.document import Document, as_yaml, kubernetes_object
from gpuplatform.standard import keys, resources
from gpuplatform.standard.instance_labels import instance_label_keys

_RELEASE = "sandbox-gpu-operator-release"
"""The ConfigMap with the values of the installed release; ``devices.go`` reads it by this name."""


def operator_documents(values: Mapping[str, object], namespace: str) -> tuple[Document, ...]:
    """The release's values, and the RuntimeClass that its toolkit would register."""
    operator = cast(Mapping[str, object], values.get("operator") or {})
    name = str(operator.get("runtimeClass") or resources.RUNTIME_CLASS)
    return (
        kubernetes_object("v1", "ConfigMap", _RELEASE, namespace, data={"values.yaml": as_yaml(values)}),
        kubernetes_object("node.k8s.io/v1", "RuntimeClass", name, handler=name),
    )


def storage() -> tuple[Document, ...]:
    """The StorageClass that every EKS cluster begins with (no longer the default since 1.30), and the EBS driver."""
    return (
        kubernetes_object(
            "storage.k8s.io/v1",
            "StorageClass",
            "gp2",
            provisioner="kubernetes.io/aws-ebs",
            parameters={"type": "gp2", "fsType": "ext4"},
            reclaimPolicy="Delete",
            volumeBindingMode="WaitForFirstConsumer",
        ),
        # No volume is attached here: kwok runs a pod whether or not its volumes exist.
        kubernetes_object("storage.k8s.io/v1", "CSIDriver", "ebs.csi.aws.com", spec={"attachRequired": False}),
    )


_NAME = "sandbox-knows-every-requirement"
_OF_EVERY_NODE = (
    keys.ARCHITECTURE,
    keys.CAPACITY_TYPE,
    keys.INSTANCE_TYPE,
    keys.NODEPOOL,
    keys.OPERATING_SYSTEM,
    keys.REGION,
    keys.ZONE,
)


def known_keys() -> tuple[str, ...]:
    """Every label key that a NodePool may name in its requirements here."""
    return tuple(sorted({*instance_label_keys(), *_OF_EVERY_NODE}))


def known_requirements() -> tuple[Document, ...]:
    """An admission policy, with its binding, that refuses a NodePool with a requirement no instance type here meets."""
    keys_json = json.dumps(known_keys())
    is_template_label = "(has(object.spec.template.metadata) && has(object.spec.template.metadata.labels)"
    is_template_label += " && r.key in object.spec.template.metadata.labels)"
    unknown = f"object.spec.template.spec.requirements.filter(r, !(r.key in {keys_json}) && !{is_template_label})"
    message = f"'the sandbox has no instance type with the label ' + {unknown}.map(r, r.key).join(', ')"
    rule: dict[str, object] = {
        "apiGroups": ["karpenter.sh"],
        "apiVersions": ["*"],
        "operations": ["CREATE", "UPDATE"],
        "resources": ["nodepools"],
    }
    validation = {
        "expression": f"{unknown}.size() == 0",
        "messageExpression": f"{message} + '; it knows {', '.join(known_keys())}'",
    }
    version = "admissionregistration.k8s.io/v1"
    policy = kubernetes_object(
        version,
        "ValidatingAdmissionPolicy",
        _NAME,
        spec={"matchConstraints": {"resourceRules": [rule]}, "validations": [validation]},
    )
    binding = kubernetes_object(
        version,
        "ValidatingAdmissionPolicyBinding",
        _NAME,
        spec={"policyName": _NAME, "validationActions": ["Deny"]},
    )
    return policy, binding
