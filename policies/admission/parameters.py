"""The ConfigMap of a stack that the admission policies read: short lines, which are cheap to read for 200 pools.

``nodepools`` has a line for each NodePool, with parts between ``|`` and entries between commas: pool, NodePool, labels,
taints, what one node offers, the most that one container may ask for, the template by which its cards are claimed. A
label that differs between the pool's instance types or zones has an entry for each value. ``pools``, ``priorities`` and
``queues`` have a line for each namespace that has any; pools that are open to all are left out. ``labels`` are the
label keys in the lines of NodePools, ``resources`` the card resources of the stack.
"""

from __future__ import annotations

from collections.abc import Iterable

from gpuplatform.analysis.placement.view import NodePoolView, StackView
from gpuplatform.standard import keys, names

NAME = names.PLATFORM_PREFIX + "admission"
NAMESPACE = "kube-system"
POOLS = "pools"


def parameters(view: StackView) -> dict[str, object]:
    """The ConfigMap."""
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": NAME, "namespace": NAMESPACE},
        "data": {
            "nodepools": "\n".join(map(_line, view.node_pools)),
            "resources": ",".join(sorted(view.card_resources)),
            "priorities": "\n".join(
                f"{namespace.name}={','.join(namespace.priorities)}" for namespace in view.namespaces
            ),
            "labels": ",".join(sorted(view.label_keys)),
            POOLS: "\n".join(f"{namespace.name}={','.join(namespace.pools)}" for namespace in view.namespaces),
            "queues": "\n".join(
                f"{namespace.name}={namespace.queue}" for namespace in view.namespaces if namespace.queue
            ),
        },
    }


def _line(pool: NodePoolView) -> str:
    labels = [(key, value) for key, value in pool.labels.items()]
    labels += [(keys.ZONE, zone) for zone in pool.zones]
    labels += [(key, value) for option in pool.options for key, value in option.labels.items()]
    taints = (f"{taint.key}={taint.value}:{taint.effect.value}" for taint in pool.taints)
    largest_amounts: dict[str, int] = {}
    for option in pool.options:
        for resource, amount in option.devices.items():
            largest_amounts[resource] = max(largest_amounts.get(resource, 0), amount)
    parts = (
        pool.pool,
        pool.name,
        f",{_entries(f'{key}={value}' for key, value in labels)},",
        _entries(taints),
        _entries(f"{resource}={amount}" for resource, amount in largest_amounts.items()),
        "" if pool.most_per_container is None else str(pool.most_per_container),
        pool.claim_template or "",
    )
    return "|".join(parts)


def _entries(parts: Iterable[str]) -> str:
    return ",".join(dict.fromkeys(parts))
