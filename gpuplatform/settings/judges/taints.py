"""A pool's further taints: none that the standard, Karpenter or Kubernetes puts on nodes, and none twice (T1, E11)."""

from __future__ import annotations

from gpuplatform.faults import Fault
from gpuplatform.settings.draft import Draft
from gpuplatform.settings.pools import PoolTaint
from gpuplatform.standard import keys, labels, taints

_STANDARD = (keys.GPU_TAINT, taints.DEDICATED_KEY, keys.NEURON_TAINT)
_OTHERS_DOMAINS = ("kubernetes.io", "k8s.io", "karpenter.sh", "karpenter.k8s.aws", "nvidia.com", "amazonaws.com")
"""Whoever reads a key of these decides what it does, and some take it off again once a node is ready."""


def judge(draft: Draft) -> list[Fault]:
    """What is wrong with each pool's own taints."""
    return [
        fault
        for pool in draft.pools
        for at, taint in enumerate(pool.taints)
        for fault in _faults(f"pools[{pool.name}].taints[{at}]", taint, pool.taints[:at])
    ]


def _faults(path: str, taint: PoolTaint, before: tuple[PoolTaint, ...]) -> list[Fault]:
    domain = taint.key.partition("/")[0] if "/" in taint.key else ""
    if taint.key in _STANDARD or taint.key.startswith(labels.PREFIX):
        allowed = "a key of your own: the standard puts its taints on every GPU node itself"
        return [Fault(f"{path}.key", taint.key, allowed, "remove it, or give it another key")]
    if any(domain == each or domain.endswith(f".{each}") for each in _OTHERS_DOMAINS):
        allowed = f"a key of your own: {domain} belongs to others, who write and read it"
        return [Fault(f"{path}.key", taint.key, allowed, "give it another key")]
    if any((taint.key, taint.effect) == (each.key, each.effect) for each in before):
        allowed = "each key once with one effect: Kubernetes refuses a second"
        return [Fault(path, f"{taint.key}:{taint.effect} again", allowed, "remove one of them")]
    return []
