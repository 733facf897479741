"""Documents that keep every rule, and one way to break them: each test breaks one thing."""

from __future__ import annotations

import copy
import enum
from typing import cast

import yaml

from tests.policies.cloud_documents import CLOUD
from tests.policies.pod_documents import OPERATOR_OBJECTS, PODS

Document = dict[str, object]


class Gone(enum.Enum):
    """Instead of a value: the field is removed."""

    GONE = "removed"


GONE = Gone.GONE


def but(document: Document, *path_and_value: object) -> Document:
    """A copy of the document with one field changed: keys and list positions, then the new value or GONE."""
    *path, last, value = path_and_value
    changed = copy.deepcopy(document)
    holder: object = changed
    for key in path:
        holder = cast("dict[object, object]", holder)[key]
    where = cast("dict[object, object]", holder)
    if value is GONE:
        del where[last]
    else:
        where[last] = value
    return changed


def taint(key: str, value: str, effect: str = "NoSchedule") -> dict[str, object]:
    return {"key": key, "value": value, "effect": effect}


def requirement(key: str, operator: str, *values: str) -> dict[str, object]:
    return {"key": key, "operator": operator, "values": list(values)}


def _pool(name: str, labels: dict[str, str], types: list[str], taints: list[dict[str, object]]) -> Document:
    return {
        "apiVersion": "karpenter.sh/v1",
        "kind": "NodePool",
        "metadata": {"name": name},
        "spec": {
            "template": {
                "metadata": {"labels": labels},
                "spec": {
                    "nodeClassRef": {"group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": "serve"},
                    "requirements": [requirement("node.kubernetes.io/instance-type", "In", *types)],
                    "taints": taints,
                    "expireAfter": "Never",
                },
            },
            "weight": 90,
            "limits": {"nvidia.com/gpu": "8"},
            "disruption": {
                "consolidationPolicy": "WhenEmpty",
                "consolidateAfter": "10m",
                "budgets": [
                    {"nodes": "1"},
                    {"nodes": "0", "reasons": ["Drifted"], "schedule": "0 9 * * 1,2", "duration": "8h30m"},
                ],
            },
        },
    }


def _labels(model: str, memory: str, purpose: str, role: str = "worker", **more: str) -> dict[str, str]:
    return {
        "gpu.vendor": "nvidia",
        "gpu.model": model,
        "gpu.mem": memory,
        "gpu.mig": "disabled",
        "gpu.role": role,
        "gpu.pool": purpose,
        **more,
    }


def _taints(purpose: str, *more: dict[str, object]) -> list[dict[str, object]]:
    return [taint("nvidia.com/gpu", "present"), taint("dedicated", "gpu"), taint("gpu.pool", purpose), *more]


def a_pool() -> Document:
    """Whole L4 cards for inference, with four cards in the largest type."""
    return _pool("serve-l4", _labels("L4", "24gb", "infer"), ["g6.xlarge", "g6.12xlarge"], _taints("infer"))


def a_training_pool() -> Document:
    return _pool("train-a100", _labels("A100", "40gb", "train"), ["p4d.24xlarge"], _taints("train"))


def a_mig_pool() -> Document:
    """A100-80GB cards cut into seven slices each, eight cards a node."""
    labels = _labels("A100", "80gb", "train")
    labels |= {"gpu.mig": "enabled", "gpu.mig.profile": "1g.10gb", "nvidia.com/mig.config": "a100-80gb.1g.10gb-x7"}
    pool = _pool("slices-a100", labels, ["p4de.24xlarge"], _taints("train"))
    return but(pool, "spec", "limits", {"nvidia.com/mig-1g.10gb": "112"})


def a_shared_pool() -> Document:
    """T4 cards of which each serves four pods in turn."""
    labels = _labels("T4", "16gb", "dev", **{"nvidia.com/device-plugin.config": "time-slicing-x4"})
    return _pool("dev-t4", labels, ["g4dn.xlarge"], _taints("dev"))


def a_chief_pool() -> Document:
    labels = _labels("H100", "80gb", "train", "chief")
    pool = _pool("chief-h100", labels, ["p5.4xlarge"], _taints("train", taint("gpu.role", "chief")))
    pool = but(pool, "spec", "replicas", 1)
    pool = but(pool, "spec", "limits", {"nodes": "2"})
    return but(pool, "spec", "weight", GONE)


def a_cpu_pool() -> Document:
    pool = _pool("general", {}, ["m7i.xlarge"], [])
    return but(pool, "spec", "limits", {"cpu": "200"})


def a_node_class() -> Document:
    return {
        "apiVersion": "karpenter.k8s.aws/v1",
        "kind": "EC2NodeClass",
        "metadata": {"name": "serve"},
        "spec": {
            "amiSelectorTerms": [{"alias": "al2023@v20260810"}],
            "role": "dev-node",
            "blockDeviceMappings": [{"deviceName": "/dev/xvda", "ebs": {"volumeSize": "200Gi", "encrypted": True}}],
            "metadataOptions": {"httpTokens": "required", "httpPutResponseHopLimit": 1},
            "associatePublicIPAddress": False,
        },
    }


def an_overlay() -> Document:
    """What a node of `a_mig_pool` offers: 8 cards of 7 slices."""
    return {
        "apiVersion": "karpenter.sh/v1alpha1",
        "kind": "NodeOverlay",
        "metadata": {"name": "slices-a100"},
        "spec": {
            "requirements": [requirement("karpenter.sh/nodepool", "In", "slices-a100")],
            "capacity": {"nvidia.com/gpu": "0", "nvidia.com/mig-1g.10gb": "56"},
        },
    }


def a_shared_overlay() -> Document:
    overlay = but(an_overlay(), "metadata", "name", "dev-t4")
    overlay = but(overlay, "spec", "requirements", 0, "values", ["dev-t4"])
    return but(overlay, "spec", "capacity", {"nvidia.com/gpu": "4"})


def layouts(**slices: int) -> Document:
    """The MIG manager's ConfigMap with one layout, of 7 slices of 1g.10gb unless told otherwise."""
    devices = slices or {"1g.10gb": 7}
    entry = {"device-filter": ["0x20B210DE"], "devices": "all", "mig-enabled": True, "mig-devices": devices}
    text = yaml.safe_dump({"version": "v1", "mig-configs": {"a100-80gb.1g.10gb-x7": [entry]}})
    return _config_map("mig-layouts", {"config.yaml": text})


def plugin_config() -> Document:
    slicing = {"timeSlicing": {"resources": [{"name": "nvidia.com/gpu", "replicas": 4}]}}
    return _config_map(
        "device-plugin-sharing", {"time-slicing-x4": yaml.safe_dump({"version": "v1", "sharing": slicing})}
    )


def _config_map(name: str, data: dict[str, str]) -> Document:
    metadata = {"name": name, "namespace": "gpu-operator"}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}


def the_operator() -> Document:
    """The GPU Operator's release; rules see only its chart and values."""
    tolerations = [
        {"key": key, "operator": "Exists", "effect": "NoSchedule"}
        for key in ("nvidia.com/gpu", "dedicated", "gpu.pool", "gpu.role")
    ]
    return {
        "apiVersion": "helm.sh/v3",
        "kind": "Release",
        "metadata": {"name": "gpu-operator"},
        "chart": "gpu-operator",
        "values": {
            "driver": {"enabled": False},
            "toolkit": {"enabled": False},
            "mig": {"strategy": "mixed"},
            "devicePlugin": {"config": {"name": "device-plugin-sharing", "default": ""}},
            "daemonsets": {"tolerations": tolerations},
            "node-feature-discovery": {"worker": {"tolerations": tolerations}},
        },
    }


def a_namespace() -> Document:
    labels = {"team": "serving", "env": "production", "pod-security.kubernetes.io/enforce": "baseline"}
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "ml-serving", "labels": labels}}


def a_quota() -> Document:
    hard = {"requests.nvidia.com/gpu": "8", "requests.nvidia.com/mig-1g.10gb": "7", "pods": "100"}
    return _in_namespace("v1", "ResourceQuota", "cards", spec={"hard": hard})


def a_default_deny() -> Document:
    spec: Document = {"podSelector": {}, "policyTypes": ["Ingress", "Egress"]}
    return _in_namespace("networking.k8s.io/v1", "NetworkPolicy", "default-deny", spec=spec)


def a_service_account() -> Document:
    return _in_namespace("v1", "ServiceAccount", "serving", automountServiceAccountToken=False)


def a_role() -> Document:
    rules = [
        {"apiGroups": [""], "resources": ["pods"], "verbs": ["get", "list"]},
        {"apiGroups": [""], "resources": ["secrets"], "resourceNames": ["model-token"], "verbs": ["get"]},
    ]
    return _in_namespace("rbac.authorization.k8s.io/v1", "Role", "serving", rules=rules)


def _in_namespace(api_version: str, kind: str, name: str, **body: object) -> Document:
    metadata = {"name": name, "namespace": "ml-serving"}
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, **body}


def a_claim() -> Document:
    """One card by claim."""
    request = {"name": "card", "exactly": {"deviceClassName": "gpu.nvidia.com"}}
    return _in_namespace("resource.k8s.io/v1", "ResourceClaim", "card", spec={"devices": {"requests": [request]}})


def a_claim_template() -> Document:
    spec = {"spec": a_claim()["spec"]}
    return _in_namespace("resource.k8s.io/v1", "ResourceClaimTemplate", "card", spec=spec)


def a_priority_class() -> Document:
    return {
        "apiVersion": "scheduling.k8s.io/v1",
        "kind": "PriorityClass",
        "metadata": {"name": "inference-critical"},
        "value": 1000000,
        "globalDefault": False,
        "preemptionPolicy": "PreemptLowerPriority",
    }


def a_cluster() -> Document:
    """An EKS cluster's inputs, under the token that stands for its kind."""
    return {
        "kind": "aws:eks/cluster:Cluster",
        "vpcConfig": {
            "endpointPublicAccess": True,
            "publicAccessCidrs": ["203.0.113.0/24"],
            "endpointPrivateAccess": True,
        },
        "encryptionConfig": {
            "provider": {"keyArn": "arn:aws:kms:us-east-1:111122223333:key/k"},
            "resources": ["secrets"],
        },
        "accessConfig": {"authenticationMode": "API"},
        "enabledClusterLogTypes": ["api", "audit", "authenticator", "controllerManager", "scheduler"],
    }


def a_stack() -> Document:
    """The part of the stack's published document that rules read."""
    cost = {
        "monthly_floor_usd": 5000.25,
        "monthly_expected_usd": 20000.0,
        "monthly_ceiling_usd": 90000.0,
        "monthly_floor_limit_usd": 8000,
        "monthly_budget_usd": 100000,
    }
    line = {
        "resource": "nvidia.com/gpu",
        "pools": {"serve": 8},
        "guaranteed": [
            {"tenant": "serving", "namespace": "ml-serving", "amount": 6, "pools": ["serve"]},
            {"tenant": "research", "namespace": "ml-trials", "amount": 2},
        ],
        "allowed_ratio": 1.0,
    }
    tenants = [
        {"name": "serving", "namespaces": [{"name": "ml-serving", "pools": ["serve"]}]},
        {"name": "research", "namespaces": [{"name": "ml-trials", "pools": ["serve", "train"]}]},
    ]
    published = {"environment": "dev", "cost": cost, "capacity": [line], "tenants": tenants}
    return {"kind": "pulumi:pulumi:Stack", "platform": published}


def the_admission_parameters() -> Document:
    """The ConfigMap in which the API server reads the pools of each namespace."""
    data = {"pools": "ml-serving=serve\nml-trials=serve,train"}
    metadata = {"name": "gpu-platform-admission", "namespace": "kube-system"}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}


def a_node_group() -> Document:
    return {"kind": "aws:eks/nodeGroup:NodeGroup", "labels": {"role": "system"}}


def a_gpu_node_group() -> Document:
    """The chief's nodes as an EKS node group."""
    effect = "NO_SCHEDULE"
    return {
        "kind": "aws:eks/nodeGroup:NodeGroup",
        "amiType": "AL2023_x86_64_NVIDIA",
        "labels": _labels("H100", "80gb", "train", "chief"),
        "taints": [
            {"key": "nvidia.com/gpu", "value": "present", "effect": effect},
            {"key": "dedicated", "value": "gpu", "effect": effect},
            {"key": "gpu.pool", "value": "train", "effect": effect},
            {"key": "gpu.role", "value": "chief", "effect": effect},
        ],
    }


GOOD: tuple[Document, ...] = (
    a_pool(),
    a_training_pool(),
    a_mig_pool(),
    a_shared_pool(),
    a_chief_pool(),
    a_cpu_pool(),
    a_node_class(),
    an_overlay(),
    a_shared_overlay(),
    layouts(),
    plugin_config(),
    the_operator(),
    a_namespace(),
    a_quota(),
    a_default_deny(),
    a_service_account(),
    a_role(),
    a_claim(),
    a_claim_template(),
    a_priority_class(),
    a_cluster(),
    a_stack(),
    the_admission_parameters(),
    a_node_group(),
    a_gpu_node_group(),
    *PODS,
    *OPERATOR_OBJECTS,
    *CLOUD,
)
"""A stack of them: together they keep the rules about whole stacks too."""
