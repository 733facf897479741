"""Overlays: the capacity that Karpenter assumes for a shared NodePool equals the capacity that the operator makes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gpuplatform.analysis.label_accuracy import selectable
from gpuplatform.catalog.instance_types import InstanceType
from gpuplatform.faults import Fault
from gpuplatform.standard import keys, labels, resources
from gpuplatform.standard.quantities import whole
from policies.cel import PLATFORMS_OWN
from policies.nodepool import LIMITS_PATH, NodePool, nodepool, requirements_at
from policies.rule import Rule, Severity, StackRule
from policies.sharing_configs import SharingConfigs, sharing_configs, units_per_card
from policies.subject import (
    CONFIG_MAP,
    NODE_OVERLAY,
    NODE_POOL,
    UNKNOWN,
    Subject,
    Unknown,
    at,
    mapping_at,
    quoted,
    text,
)

_CAPACITY = "spec.capacity"


def _scoped(subject: Subject) -> Iterable[Fault]:
    if _scope(subject) != ():
        return []
    return [
        Fault(
            f"spec.requirements[{keys.NODEPOOL}]",
            "no list of NodePools",
            f"{keys.NODEPOOL} In [...]: without it Karpenter assumes the capacity for every NodePool",
            "name the NodePools whose nodes really offer the capacity",
        )
    ]


def _scope(subject: Subject) -> tuple[str, ...] | Unknown:
    """The NodePools that an overlay is for."""
    lines = requirements_at(subject, "spec", "requirements")
    if isinstance(lines, Unknown):
        return UNKNOWN
    return tuple(name for line in lines if line.key == keys.NODEPOOL and line.operator == "In" for name in line.values)


def _capacity(subject: Subject) -> Iterable[Fault]:
    capacity = mapping_at(subject, "spec", "capacity")
    if isinstance(capacity, Unknown):
        return []
    faults = [
        Fault(f"{_CAPACITY}[{key}]", quoted(amount), "a whole number, as text", "write how many one node offers")
        for key, amount in capacity.items()
        if resources.is_card_resource(key) and amount is not UNKNOWN and whole(str(text(amount))) is None
    ]
    slices = [key for key in capacity if key.startswith(resources.MIG_PREFIX)]
    hidden = text(capacity.get(resources.GPU))
    if slices and hidden not in ("0", UNKNOWN):
        allowed = '"0" beside slices: a card that is cut is no whole card any more'
        path = f"{_CAPACITY}[{resources.GPU}]"
        faults.append(Fault(path, quoted(capacity.get(resources.GPU)), allowed, f'set {resources.GPU} to "0"'))
    return faults


def _matches_pool(subjects: Sequence[Subject]) -> Iterable[tuple[Subject, Fault]]:
    """Compare NodePools with the overlays about them, unless a part of the stack is unknown."""
    configs = sharing_configs(subjects)
    overlays = [(subject, _scope(subject)) for subject in subjects if subject.is_a(NODE_OVERLAY)]
    scoped = [(overlay, scope) for overlay, scope in overlays if not isinstance(scope, Unknown)]
    if not configs.complete or len(scoped) < len(overlays):
        return
    pools = [subject for subject in subjects if subject.is_a(NODE_POOL)]
    yield from _of_missing_pools(scoped, [pool.known_name for pool in pools])
    for pool in pools:
        if pool.known_name is not None:
            yield from _of_pool(pool, [overlay for overlay, scope in scoped if pool.known_name in scope], configs)


def _of_missing_pools(
    overlays: Sequence[tuple[Subject, tuple[str, ...]]], pools: Sequence[str | None]
) -> Iterable[tuple[Subject, Fault]]:
    """An overlay for a NodePool that does not exist: Karpenter then assumes whole cards for the intended NodePool."""
    if None in pools:
        return
    for overlay, scope in overlays:
        for name in scope:
            if name not in pools:
                path, allowed = f"spec.requirements[{keys.NODEPOOL}]", "names of NodePools of this stack"
                yield overlay, Fault(path, quoted(name), allowed, "correct the NodePool's name, or remove the overlay")


def _of_pool(subject: Subject, overlays: Sequence[Subject], configs: SharingConfigs) -> Iterable[tuple[Subject, Fault]]:
    """One NodePool and the overlays that name it."""
    pool = nodepool(subject)
    units = units_per_card(pool, configs)
    if units is None:
        yield from ((overlay, fault) for overlay in overlays for fault in _nothing_shared(overlay, subject, pool))
        return
    resource, per_card = units
    if not overlays and not pool.is_static:
        yield subject, _no_overlay(subject, resource)
    for overlay in overlays:
        yield from ((overlay, fault) for fault in _capacity_of(overlay, pool, resource, per_card))
        yield from ((subject, fault) for fault in _room_for(overlay, subject, pool, resource))


def _no_overlay(subject: Subject, resource: str) -> Fault:
    return Fault(
        "spec.template",
        "shared cards, and no overlay",
        "a NodeOverlay that tells Karpenter the capacity of a node with shared cards",
        f"add a NodeOverlay with {keys.NODEPOOL} In [{subject.known_name}] and the capacity of {resource}",
    )


def _nothing_shared(overlay: Subject, subject: Subject, pool: NodePool) -> list[Fault]:
    """An overlay that counts cards of a NodePool whose nodes ask for no way of sharing."""
    layouts = (pool.label(keys.DEVICE_PLUGIN_CONFIG), pool.label(labels.MIG))
    if UNKNOWN in layouts or layouts[0] is not None or layouts[1] != labels.MIG_DISABLED:
        return []  # sharing-config-exists or mig-agrees speaks of it
    capacity = mapping_at(overlay, "spec", "capacity")
    if isinstance(capacity, Unknown):
        return []
    return [
        Fault(
            f"{_CAPACITY}[{key}]",
            f"{quoted(amount)} on the NodePool {subject.known_name}, whose nodes share nothing",
            "no card resource: the plugin offers whole cards there",
            f"remove {key}, or label the NodePool with {keys.DEVICE_PLUGIN_CONFIG}",
        )
        for key, amount in capacity.items()
        if resources.is_card_resource(key)
    ]


def _capacity_of(overlay: Subject, pool: NodePool, resource: str, per_card: int) -> list[Fault]:
    types = _types_of(overlay, pool)
    written = at(overlay.body, "spec", "capacity", resource)
    if isinstance(types, Unknown) or written is UNKNOWN or not types:
        return []
    offered = sorted({instance_type.cards * per_card for instance_type in types})
    if [text(written)] == [str(units) for units in offered]:
        return []
    units_text = " or ".join(str(units) for units in offered)
    allowed = f"what the operator makes on one node: {units_text}" + (
        ": one overlay for each" if len(offered) > 1 else ""
    )
    return [Fault(f"{_CAPACITY}[{resource}]", quoted(written), allowed, f"write {units_text}, or correct the layout")]


def _types_of(overlay: Subject, pool: NodePool) -> tuple[InstanceType, ...] | Unknown:
    """The types of the NodePool that the overlay speaks of."""
    narrowing = requirements_at(overlay, "spec", "requirements")
    if isinstance(pool.requirements, Unknown) or isinstance(narrowing, Unknown):
        return UNKNOWN
    return selectable((*pool.requirements, *narrowing))


def _room_for(overlay: Subject, subject: Subject, pool: NodePool, resource: str) -> list[Fault]:
    """An elastic NodePool whose ceiling is below one node's units never starts that node."""
    units, ceiling = (
        whole(str(text(amount)))
        for amount in (at(overlay.body, "spec", "capacity", resource), at(subject.body, "spec", "limits", resource))
    )
    if pool.is_static or units is None or ceiling is None or ceiling >= units:
        return []
    allowed = f"at least {units}, which one node is assumed to offer: ceilings count shares and slices, not cards"
    return [Fault(f"{LIMITS_PATH}[{resource}]", str(ceiling), allowed, f"raise the ceiling to {units} or more")]


OVERLAY_SCOPED = Rule(
    name="overlay-scoped",
    description="A NodeOverlay names the NodePools that it is about.",
    severity=Severity.HIGH,
    remediation=f"Add the requirement {keys.NODEPOOL} In [...] with the NodePools' names.",
    kinds=(NODE_OVERLAY,),
    judge=_scoped,
    admission=PLATFORMS_OWN,
)

OVERLAY_CAPACITY = Rule(
    name="overlay-capacity",
    description="A NodeOverlay counts in whole numbers, and hides whole cards if it adds slices.",
    severity=Severity.HIGH,
    remediation=f'Write capacities as whole numbers, and {resources.GPU}: "0" beside slices.',
    kinds=(NODE_OVERLAY,),
    judge=_capacity,
    admission=PLATFORMS_OWN,
)

OVERLAY_MATCHES_POOL = StackRule(
    name="overlay-matches-pool",
    description="The NodeOverlay of a shared NodePool states the capacity that the operator makes of its cards.",
    severity=Severity.CRITICAL,
    remediation="One NodeOverlay for each number of cards that a node can have: cards times slices or shares of one.",
    kinds=(NODE_POOL, NODE_OVERLAY, CONFIG_MAP),
    judge=_matches_pool,
)

RULES = (OVERLAY_SCOPED, OVERLAY_CAPACITY)
STACK_RULES = (OVERLAY_MATCHES_POOL,)
