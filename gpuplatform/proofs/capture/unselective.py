"""A pod that asks for a card and names no purpose lands nowhere: the proof over a whole stack."""

from __future__ import annotations

from collections.abc import Iterable

from gpuplatform.faults import Fault
from gpuplatform.proofs.capture.landing import obstacles
from gpuplatform.proofs.capture.pod import PodAsk
from gpuplatform.proofs.capture.view import NodePoolView
from gpuplatform.standard import keys, labels, resources, taints
from gpuplatform.standard.taints import Toleration

_TOLERATED = (Toleration(keys.GPU_TAINT, None, None), Toleration(taints.DEDICATED_KEY, None, None))
"""What every guide in circulation tells a GPU pod to tolerate."""


def unselective(node_pools: Iterable[NodePoolView]) -> list[Fault]:
    """One fault for each pool that would take a pod that tolerates GPU nodes and names no purpose."""
    open_to_all: dict[str, list[str]] = {}
    for each in node_pools:
        if any(not obstacles(ask, each) for ask in _asks(each)):
            open_to_all.setdefault(each.pool, []).append(each.name)
    return [
        Fault(
            f"pools[{pool}]",
            f"NodePools that take a pod which asks for a card and names no purpose: {', '.join(names)}",
            f"a taint {labels.PURPOSE.key} that keeps such a pod away, with an effect that is more than a preference",
            f"set taint_effect of {pool!r} to {taints.Effect.NO_SCHEDULE.value}",
        )
        for pool, names in open_to_all.items()
    ]


def _asks(node_pool: NodePoolView) -> list[PodAsk]:
    """One unselective pod for each card resource; where cards are claimed, none is counted and taints alone hold."""
    offered = dict.fromkeys(resource for option in node_pool.options for resource in option.devices)
    asked = [((resource, 1),) for resource in offered if resources.is_card_resource(resource)]
    if not asked and node_pool.claim_template is not None:
        return [PodAsk(tolerations=_TOLERATED)]
    return [PodAsk(tolerations=_TOLERATED, devices=each, largest_container=each) for each in asked]
