"""One architecture a pool: an image is built for amd64, for arm64 or for both, and a pod lands on either otherwise."""

from __future__ import annotations

from collections.abc import Iterable

from gpuplatform.catalog.instance_types import InstanceType, instance_type
from gpuplatform.faults import Fault
from gpuplatform.settings.draft import Draft
from gpuplatform.settings.pools import Pool

_ONE_POOL = "types of one architecture: a pool is one NodePool with one ceiling, and arm64 stands behind a taint"
_ONE_IMAGE = "types of one architecture: the node group has one image"


def judge(draft: Draft) -> list[Fault]:
    """Every pool, and the system nodes, whose types are of both architectures."""
    faults: list[Fault] = []
    for pool in draft.pools:
        change = "give each architecture a pool of its own"
        faults += _mixed(f"pools[{pool.name}].cards", _with_their_cards(pool), _ONE_POOL, change)
    change = "give each architecture a pool of its own, with a part of the ceiling"
    for cpu in draft.cpu_pools:
        faults += _mixed(f"cpu_pools[{cpu.name}].instance_types", _known(cpu.instance_types), _ONE_POOL, change)
    for neuron in draft.neuron_pools:
        types = [one for one in _known(neuron.instance_types) if one.neuron_devices]
        faults += _mixed(f"neuron_pools[{neuron.name}].instance_types", types, _ONE_POOL, change)
    if draft.system_nodes is not None:
        types = _known(draft.system_nodes.instance_types)
        faults += _mixed("system_nodes.instance_types", types, _ONE_IMAGE, "keep the types of one architecture")
    return faults


def _mixed(path: str, types: Iterable[InstanceType], allowed: str, change: str) -> list[Fault]:
    by_architecture: dict[str, list[str]] = {}
    for one in types:
        by_architecture.setdefault(one.architecture, []).append(one.name)
    if len(by_architecture) < 2:
        return []
    given = "; ".join(f"{architecture}: {', '.join(names)}" for architecture, names in sorted(by_architecture.items()))
    return [Fault(path, given, allowed, change)]


def _known(names: Iterable[str]) -> list[InstanceType]:
    return [one for name in names if (one := instance_type(name))]


def _with_their_cards(pool: Pool) -> list[InstanceType]:
    """Types that carry the card of their choice; the others have a fault already."""
    return [one for choice in pool.cards for one in _known(choice.instance_types) if one.card == choice.card]
