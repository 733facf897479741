"""Names of the resources that pods request and quotas count."""

from __future__ import annotations

from gpuplatform.standard.labels import profile_value

GPU = "nvidia.com/gpu"
"""A whole card, or one share of a card in a time-sliced or MPS pool."""
MIG_PREFIX = "nvidia.com/mig-"
NEURON = "aws.amazon.com/neuron"
NEURON_CORE = "aws.amazon.com/neuroncore"
EFA = "vpc.amazonaws.com/efa"
SEVENTHS = "gpu-platform/card-sevenths"
"""Counts whole cards and slices together in a team's queue: a seventh of a card, as MIG counts compute.

Every card and slice counts a whole number of sevenths, because Kueue rounds a fraction up for each pod. No pod requests
this resource."""
SEVENTHS_PER_CARD = 7
CPU = "cpu"
MEMORY = "memory"
NODES = "nodes"
PODS = "pods"
RUNTIME_CLASS = "nvidia"
"""The RuntimeClass that the GPU Operator makes (chart value ``operator.runtimeClass``, v26.7.0)."""

_QUOTA_PREFIX = "requests."


def quota_key(resource: str) -> str:
    """A resource as a ResourceQuota counts it: extended resources are counted by their requests only."""
    return _QUOTA_PREFIX + resource


def mig_resource(profile: str) -> str:
    """The resource of a MIG profile under strategy mixed: ``1g.10gb+me`` gives ``nvidia.com/mig-1g.10gb.me``."""
    return MIG_PREFIX + profile_value(profile)


def sevenths(resource: str) -> int:
    """Sevenths in one unit of a card resource: seven for a card or a share of one, compute slices for a MIG slice."""
    if not resource.startswith(MIG_PREFIX):
        return SEVENTHS_PER_CARD
    return int(resource.removeprefix(MIG_PREFIX).partition("g")[0])


def is_card_resource(resource: str) -> bool:
    """Whether a resource name is a whole card, a share or a slice of an NVIDIA card."""
    return resource == GPU or resource.startswith(MIG_PREFIX)
