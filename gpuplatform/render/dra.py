"""Dynamic resource allocation, for static pools that ask for it: claim templates, their quota, and the driver.

One label decides how a node hands out its cards: it keeps the GPU Operator's operands, the device plugin among them,
off the nodes of such a pool, and NVIDIA's DRA driver selects its nodes by it. So no node has both.
"""

from __future__ import annotations

from collections.abc import Iterable

from gpuplatform.plan.node_pools import mig_profile, unit_resource
from gpuplatform.render.document import Document, kubernetes_object
from gpuplatform.render.gpu_operator import gpu_node_tolerations
from gpuplatform.settings.pools import Pool
from gpuplatform.settings.settings import Settings
from gpuplatform.settings.tenants import Namespace, Scheduling
from gpuplatform.standard import keys, names

CHART = "dra-driver-nvidia-gpu"
API_VERSION = "resource.k8s.io/v1"
CARD_CLASS = "gpu.nvidia.com"
SLICE_CLASS = "mig.nvidia.com"
"""DeviceClasses that the chart makes (kubernetes-sigs/dra-driver-nvidia-gpu v0.4.1)."""
DRIVER = "gpu.nvidia.com"
"""The prefix of the attributes of a device."""
REQUEST = "card"
"""The name of a template's one request, and of the claim in a pod."""
QUOTA_NAME = "claims"


def tenant_documents(namespace: Namespace, pools: Iterable[Pool]) -> list[Document]:
    """The documents that a namespace needs to claim cards: a quota of claims, a template for each kind in its quota.

    Empty where no pool of the stack is for claims. A namespace without a quota of such cards gets a quota of zero
    claims, because a quota of cards does not count claims; so does a queued namespace, because Kueue admits no claim.
    """
    claimed = {unit_resource(pool): mig_profile(pool) for pool in pools if pool.dra}
    if not claimed:
        return []
    is_queued = namespace.scheduling is Scheduling.QUEUED
    quota = {} if is_queued else namespace.quota
    amounts = {resource: amount for resource, amount in quota.items() if resource in claimed and amount}
    templates = [_template(claimed[resource], namespace.name) for resource in sorted(amounts)]
    totals: dict[str, int] = {CARD_CLASS: 0, SLICE_CLASS: 0}
    for resource, amount in amounts.items():
        totals[_device_class(claimed[resource])] += amount
    hard = {f"{name}.deviceclass.resource.k8s.io/devices": str(total) for name, total in totals.items()}
    return [kubernetes_object("v1", "ResourceQuota", QUOTA_NAME, namespace.name, spec={"hard": hard}), *templates]


def chart_values(settings: Settings) -> dict[str, Document]:
    """The driver's chart and its values; empty where no pool is for claims."""
    if not any(pool.dra for pool in settings.pools):
        return {}
    return {
        CHART: {
            "nvidiaDriverRoot": "/",  # the node image holds the driver
            # The chart hands out cards only with this value: it states that no device plugin does so on the same node.
            "gpuResourcesEnabledOverride": True,
            "resources": {"gpus": {"enabled": True}, "computeDomains": {"enabled": False}},
            "kubeletPlugin": {
                "nodeSelector": {keys.OPERANDS: "false"},
                "tolerations": gpu_node_tolerations(settings),
            },
        }
    }


def _template(profile: str | None, namespace: str) -> Document:
    """A claim for one card, or for one slice of a profile."""
    exactly: Document = {"deviceClassName": _device_class(profile)}
    if profile is not None:
        expression = f"device.attributes['{DRIVER}'].profile == '{profile}'"
        exactly["selectors"] = [{"cel": {"expression": expression}}]
    devices = {"requests": [{"name": REQUEST, "exactly": exactly}]}
    spec = {"spec": {"devices": devices}}
    return kubernetes_object(API_VERSION, "ResourceClaimTemplate", names.claim_template(profile), namespace, spec=spec)


def _device_class(profile: str | None) -> str:
    return CARD_CLASS if profile is None else SLICE_CLASS
