"""The labels that Karpenter gives the nodes of an instance type."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from types import MappingProxyType

from gpuplatform.catalog.cards import cards
from gpuplatform.catalog.instance_types import FRACTION_CARD, InstanceType, instance_types
from gpuplatform.standard import keys

_FAMILY = re.compile(r"^(?P<category>[a-z]+)(-[0-9]+tb)?(?P<generation>[0-9]+)")
"""Category and generation as Karpenter reads them from a type's name (pkg/providers/instancetype/types.go, v1.14.1)."""


@functools.cache
def instance_labels(name: str) -> Mapping[str, str]:
    """The labels of a type of the catalog by key, without those that the type lacks; KeyError for another name.

    They are the type's own: labels of its offering (zone, capacity type) and of its node class are not among them.
    """
    instance = instance_types()[name]
    parts = _FAMILY.match(instance.family)
    assert parts is not None, "every family of the catalog is letters and a generation"
    labels = {
        keys.INSTANCE_TYPE: instance.name,
        keys.ARCHITECTURE: instance.architecture,
        keys.OPERATING_SYSTEM: "linux",
        keys.INSTANCE_FAMILY: instance.family,
        keys.INSTANCE_CATEGORY: parts["category"],
        keys.INSTANCE_GENERATION: parts["generation"],
        keys.INSTANCE_SIZE: instance.name.partition(".")[2],
        keys.INSTANCE_CPU: str(instance.vcpus),
        keys.INSTANCE_MEMORY: str(instance.memory_mib),
        keys.INSTANCE_NETWORK_BANDWIDTH: str(instance.network_mbps),
    }
    if instance.nvme_gb:
        labels[keys.INSTANCE_LOCAL_NVME] = str(instance.nvme_gb)
    return MappingProxyType({**labels, **_gpu_labels(instance), **_neuron_labels(instance)})


@functools.cache
def instance_label_keys() -> frozenset[str]:
    """Every key that some type of the catalog has."""
    return frozenset(key for name in instance_types() for key in instance_labels(name))


def _gpu_labels(instance: InstanceType) -> dict[str, str]:
    if not instance.has_nvidia:
        return {}
    card = instance.nvidia_card or cards()[FRACTION_CARD]
    return {
        keys.INSTANCE_GPU_NAME: card.karpenter_gpu_name,
        keys.INSTANCE_GPU_MANUFACTURER: "nvidia",
        keys.INSTANCE_GPU_COUNT: str(instance.cards),
        keys.INSTANCE_GPU_MEMORY: str(instance.fraction_memory_mib or card.karpenter_gpu_memory_mib),
    }


def _neuron_labels(instance: InstanceType) -> dict[str, str]:
    if instance.neuron_name is None:
        return {}
    return {
        keys.INSTANCE_ACCELERATOR_NAME: instance.neuron_name,
        keys.INSTANCE_ACCELERATOR_MANUFACTURER: "aws",
        keys.INSTANCE_ACCELERATOR_COUNT: str(instance.neuron_devices),
    }
