"""Values of the NVIDIA GPU Operator's chart, and its namespace.

Driver and toolkit are off because Amazon Linux 2023's NVIDIA image contains both. An extra taint needs two lists of
tolerations: ``daemonsets`` replaces the list of every operand, and node feature discovery is a subchart with its own.
"""

from __future__ import annotations

from gpuplatform.plan.node_pools import taints_of
from gpuplatform.render import sharing
from gpuplatform.render.addons import placement, requests
from gpuplatform.render.document import Document, kubernetes_object
from gpuplatform.render.monitoring.scraping import COUNTERS_NAME
from gpuplatform.settings.settings import Settings
from gpuplatform.standard import keys, labels, resources
from gpuplatform.standard.sheets.sheet import sheets
from gpuplatform.standard.taints import tolerations_of_any_gpu_pool

_NFD_ACCOUNT = "node-feature-discovery"
"""The service account that the subchart's master makes; the worker uses it too (time-slicing guide)."""
_MIG_MANAGER_ENV = {
    # An Ampere card changes its MIG mode only by a reset or a reboot, and a virtual machine cannot reset it.
    "WITH_REBOOT": "true",
    "HOST_KUBELET_SYSTEMD_SERVICE": "",
    "NVIDIA_CDI_HOOK_PATH": "/usr/bin/nvidia-cdi-hook",
}
"""Environment of the MIG manager for Amazon Linux 2023 (NVIDIA/mig-parted v0.15.0, cmd/nvidia-mig-manager/main.go).

The manager stops the kubelet to change the MIG mode; during boot this leaves the node NotReady for good
(NVIDIA/mig-parted#368). Without the name of a service it stops nothing. The hook's path is that of the image's toolkit,
because the operator's is off. Both follow from the source and are not verified on a node.
"""

_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_GPU_NODE = {"key": labels.VENDOR.key, "operator": "Exists"}
"""The platform's own label is on the GPU nodes of Karpenter and on those of node groups."""


def operator_namespace() -> Document:
    """The operator's namespace; its Pod Security level allows the host access that its operands need."""
    level = {keys.POD_SECURITY_ENFORCE: sheets()["gpu-operator"].pod_security.value}
    return kubernetes_object("v1", "Namespace", sharing.OPERATOR_NAMESPACE, labels=level)


def gpu_node_tolerations(settings: Settings) -> list[dict[str, str]]:
    """Tolerations of everything that runs on every GPU node."""
    taints = [taint for pool in settings.pools for taint in taints_of(pool)]
    return [toleration.as_document() for toleration in tolerations_of_any_gpu_pool(taints)]


def gpu_operator_values(settings: Settings) -> Document:
    """The chart's values, where they differ from its defaults or must not be left to them."""
    tolerations = gpu_node_tolerations(settings)
    return {
        "driver": {"enabled": False},
        "toolkit": {"enabled": False},
        # Containers get cards by CDI and never by an environment variable. User data configures the image's own toolkit
        # (bring_up/runtime.py): the operator's toolkit is off, so its ACCEPT_NVIDIA_VISIBLE_DEVICES_* have no effect.
        "cdi": {"enabled": True},
        # The chart's hooks use the same placement; no value sets their requests.
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
        # The platform's own monitor puts the standard's labels on every series.
        "dcgmExporter": {"enabled": True, "serviceMonitor": {"enabled": False}, **_counters(settings)},
        "node-feature-discovery": _node_feature_discovery(tolerations),
    }


def _node_feature_discovery(tolerations: list[dict[str, str]]) -> Document:
    """Values of the subchart: its workers run on GPU nodes, the others on system nodes."""
    on_gpu_nodes = {_REQUIRED: {"nodeSelectorTerms": [{"matchExpressions": [_GPU_NODE]}]}}
    return {
        "worker": {
            "tolerations": tolerations,
            "serviceAccount": {"create": False, "name": _NFD_ACCOUNT},
            "affinity": {"nodeAffinity": on_gpu_nodes},
        },
        "master": {
            "serviceAccount": {"create": True, "name": _NFD_ACCOUNT},
            "resources": requests("100m", "128Mi"),
            **placement(),
        },
        "gc": {"resources": requests("10m", "128Mi"), **placement()},
    }


def _counters(settings: Settings) -> Document:
    """The exporter's counters: the platform's set, or the exporter's default where monitoring is off."""
    return {"config": {"name": COUNTERS_NAME, "create": False}} if settings.monitoring.enabled else {}
