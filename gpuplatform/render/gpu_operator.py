"""Values of the NVIDIA GPU Operator's chart (G1-G7).

Driver and toolkit are off because Amazon Linux 2023's NVIDIA image holds both. An extra taint needs two lists of
tolerations: ``daemonsets`` replaces those of every operand, and node feature discovery is a subchart with its own.
"""

from __future__ import annotations

from gpuplatform.render import sharing
from gpuplatform.render.controllers import placement, requests
from gpuplatform.render.document import Document, a
from gpuplatform.render.monitoring.scraping import COUNTERS_NAME
from gpuplatform.settings.plan import taints_of
from gpuplatform.settings.settings import Settings
from gpuplatform.standard import keys, labels, resources
from gpuplatform.standard.sheets.sheet import sheets
from gpuplatform.standard.taints import tolerations_of_any_gpu_pool

_NFD_ACCOUNT = "node-feature-discovery"
"""The service account that the subchart's master makes; the worker uses it too (time-slicing guide)."""


def operator_namespace() -> Document:
    """The operator's namespace; its operands need the host, so Pod Security lets them."""
    document = a("v1", "Namespace", sharing.OPERATOR_NAMESPACE)
    labels = {keys.POD_SECURITY_ENFORCE: sheets()["gpu-operator"].pod_security.value}
    document["metadata"] = {"name": sharing.OPERATOR_NAMESPACE, "labels": labels}
    return document


def gpu_node_tolerations(settings: Settings) -> list[dict[str, str]]:
    """Tolerations of everything that runs on every GPU node."""
    taints = [taint for pool in settings.pools for taint in taints_of(pool)]
    return [each.as_document() for each in tolerations_of_any_gpu_pool(taints)]


def gpu_operator_values(settings: Settings) -> Document:
    """The chart's values, where they differ from its defaults or must not be left to them."""
    tolerations = gpu_node_tolerations(settings)
    return {
        "driver": {"enabled": False},
        "toolkit": {"enabled": False},
        # Cards are handed out by CDI and never by a variable. What the nodes' own toolkit obeys is in their user data
        # (bringup/runtime.py): the operator's toolkit is off, so its ACCEPT_NVIDIA_VISIBLE_DEVICES_* reach nobody.
        "cdi": {"enabled": True},
        # Its hooks stand where it stands; they have no value for what they ask for.
        "operator": {
            "runtimeClass": resources.RUNTIME_CLASS,
            "upgradeCRD": True,
            "resources": requests("200m", "200Mi"),
            **placement(),
        },
        "daemonsets": {"tolerations": tolerations, "priorityClassName": "system-node-critical"},
        "mig": {"strategy": "mixed"},
        "migManager": {
            "enabled": True,
            "config": {"create": False, "name": sharing.MIG_CONFIG_MAP, "default": sharing.ALL_DISABLED},
            "env": [{"name": name, "value": value} for name, value in _MIG_MANAGER_ENV.items()],
        },
        "devicePlugin": {
            "enabled": True,
            # No default: a node without the label shares nothing.
            "config": {"create": False, "name": sharing.PLUGIN_CONFIG_MAP, "default": ""},
        },
        "gfd": {"enabled": True},
        # Its monitor is our own, which puts the standard's labels on every series.
        "dcgmExporter": {"enabled": True, "serviceMonitor": {"enabled": False}, **_counters(settings)},
        "node-feature-discovery": {
            "worker": {
                "tolerations": tolerations,
                "serviceAccount": {"create": False, "name": _NFD_ACCOUNT},
                "affinity": {"nodeAffinity": {_REQUIRED: {"nodeSelectorTerms": [{"matchExpressions": [_GPU_NODE]}]}}},
            },
            "master": {
                "serviceAccount": {"create": True, "name": _NFD_ACCOUNT},
                "resources": requests("100m", "128Mi"),
                **placement(),
            },
            "gc": {"resources": requests("10m", "128Mi"), **placement()},
        },
    }


def _counters(settings: Settings) -> Document:
    """Which counters the exporter reads: its own set where nobody watches."""
    return {"config": {"name": COUNTERS_NAME, "create": False}} if settings.monitoring.enabled else {}


_MIG_MANAGER_ENV = {
    # Ampere changes its mode only by a reset or a reboot, and a virtual machine has no reset.
    "WITH_REBOOT": "true",
    "HOST_KUBELET_SYSTEMD_SERVICE": "",
    "NVIDIA_CDI_HOOK_PATH": "/usr/bin/nvidia-cdi-hook",
}
"""What Amazon Linux 2023 needs of the MIG manager (NVIDIA/mig-parted v0.15.0, cmd/nvidia-mig-manager/main.go).

It stops the kubelet for a change of mode, which during boot leaves the node NotReady for good (NVIDIA/mig-parted#368);
without a service's name it has nothing to stop. The hook is where the image's own toolkit puts it, since the operator's
is off. Both follow from the source and are not verified on a node.
"""

_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_GPU_NODE = {"key": labels.VENDOR.key, "operator": "Exists"}
"""The platform's own label: it is on GPU nodes that Karpenter made and on those that a node group made."""
