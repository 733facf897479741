"""Where a pod lands, and what exactly keeps it from a NodePool.

Karpenter's scheduler and Kubernetes' agree on this much: every taint that holds is tolerated, one alternative of the
selection is met by one type in one zone, and a node of that type has room. DaemonSets' requests are not counted.
"""

from __future__ import annotations

import enum
import functools
from dataclasses import dataclass

from gpuplatform.proofs.capture.pod import Match, PodAsk, tolerates, unmet
from gpuplatform.proofs.capture.view import LaunchOption, NodePoolView, StackView
from gpuplatform.standard import keys, resources


class Obstructs(enum.Enum):
    """What kind of thing is in the way."""

    TAINT = "a taint"
    SELECTION = "the selection"
    RESOURCE = "a resource"
    CLAIM = "a claim"
    SHARE = "more than one share"
    SIZE = "too little room"


@dataclass(frozen=True, slots=True)
class Obstacle:
    """One thing that keeps a pod from a NodePool, in words."""

    kind: Obstructs
    says: str


@dataclass(frozen=True, slots=True)
class Reached:
    """A NodePool on which a pod can land."""

    node_pool: NodePoolView
    options: tuple[LaunchOption, ...]
    """What could be launched for it."""

    @property
    def instance_types(self) -> tuple[str, ...]:
        """The types by name, each once."""
        return tuple(dict.fromkeys(each.instance_type for each in self.options))

    @property
    def usd_per_hour(self) -> tuple[float, float] | None:
        """The cheapest and the dearest node; None where no price is known."""
        known = [each.usd_per_hour for each in self.options if each.usd_per_hour is not None]
        return (min(known), max(known)) if known else None


@dataclass(frozen=True, slots=True)
class Landing:
    """What becomes of one pod in a stack."""

    reached: tuple[Reached, ...]
    kept_from: tuple[tuple[NodePoolView, tuple[Obstacle, ...]], ...]

    @property
    def pools(self) -> tuple[str, ...]:
        """The pools reached, each once."""
        return tuple(dict.fromkeys(each.node_pool.pool for each in self.reached))

    @property
    def wins(self) -> Reached | None:
        """Where the pod goes first: nodes that are there anyway, else the elastic NodePool of the highest weight."""
        ordered = sorted(
            self.reached, key=lambda each: (each.node_pool.replicas is None, -(each.node_pool.weight or 0))
        )
        return ordered[0] if ordered else None


def landing(ask: PodAsk, view: StackView) -> Landing:
    """Which NodePools of the stack a pod reaches, and what keeps it from each of the others."""
    judged = [(each, obstacles(ask, each)) for each in view.node_pools]
    return Landing(
        reached=tuple(Reached(each, fitting(ask, each)) for each, kept in judged if not kept),
        kept_from=tuple((each, kept) for each, kept in judged if kept),
    )


@functools.lru_cache(maxsize=65_536)
def obstacles(ask: PodAsk, pool: NodePoolView) -> tuple[Obstacle, ...]:
    """Everything that keeps the pod from the NodePool; empty where it can land there."""
    held = tuple(
        Obstacle(Obstructs.TAINT, f"no toleration of the taint {taint.key}={taint.value}:{taint.effect.value}")
        for taint in pool.taints
        if not tolerates(ask.tolerations, taint)
    )
    unclaimed = tuple(
        Obstacle(Obstructs.CLAIM, f"claims by the template {each!r}, which {_claims(pool)}")
        for each in ask.claims
        if each != pool.claim_template
    )
    return held + _nearest(ask, pool) + unclaimed


def fitting(ask: PodAsk, pool: NodePoolView) -> tuple[LaunchOption, ...]:
    """The options of a NodePool that answer the selection and have room."""
    return tuple(
        option
        for option in pool.options
        if not _lacking(ask, option) and any(not _unmet(alternative, pool, option) for alternative in ask.alternatives)
    )


def _nearest(ask: PodAsk, pool: NodePoolView) -> tuple[Obstacle, ...]:
    """What is in the way of the option that comes nearest, the largest one where several are as near."""
    shares = _shares(ask, pool)
    if not ask.alternatives:
        return (Obstacle(Obstructs.SELECTION, "a required node affinity without a term, which matches no node"),)
    if not pool.options:
        return (Obstacle(Obstructs.SIZE, "no instance type that the catalogue knows"),)
    largest_first = sorted(pool.options, key=lambda each: (-sum(each.devices.values()), -each.cpu_millis))
    candidates = (
        (*_selection(_unmet(alternative, pool, option), pool, option), *_lacking(ask, option))
        for option in largest_first
        for alternative in ask.alternatives
    )
    return min(candidates, key=len) + shares


def _unmet(alternative: tuple[Match, ...], pool: NodePoolView, option: LaunchOption) -> tuple[Match, ...]:
    """Demands that no node of the option meets; those on the zone have to be met by one zone together."""
    of_zone = tuple(each for each in alternative if each.key == keys.ZONE)
    others = tuple(each for each in alternative if each.key != keys.ZONE)
    left = unmet(others, {**pool.labels, **option.labels})
    if of_zone and not any(not unmet(of_zone, {keys.ZONE: zone}) for zone in pool.zones):
        left += of_zone
    return left


def _selection(left: tuple[Match, ...], pool: NodePoolView, option: LaunchOption) -> tuple[Obstacle, ...]:
    has = {**pool.labels, **option.labels, keys.ZONE: ", ".join(pool.zones)}
    return tuple(
        Obstacle(
            Obstructs.SELECTION,
            f"selects {each}, and its nodes have "
            + (f"{each.key}={has[each.key]}" if each.key in has else f"no label {each.key}"),
        )
        for each in left
    )


def _lacking(ask: PodAsk, option: LaunchOption) -> tuple[Obstacle, ...]:
    """What a node of the option has too little of."""
    found: list[Obstacle] = []
    for resource, amount in ask.devices:
        offered = option.devices.get(resource, 0)
        if not offered:
            others = ", ".join(option.devices) or "no device"
            found.append(Obstacle(Obstructs.RESOURCE, f"asks for {resource}, and its nodes offer {others}"))
        elif amount > offered:
            found.append(
                Obstacle(Obstructs.SIZE, f"asks for {amount} {resource}, and {option.instance_type} has {offered}")
            )
    if ask.cpu_millis > option.cpu_millis:
        found.append(
            Obstacle(
                Obstructs.SIZE,
                f"asks for {ask.cpu_millis}m of cpu, and {option.instance_type} can give {option.cpu_millis}m",
            )
        )
    if ask.memory_mib > option.memory_mib:
        found.append(
            Obstacle(
                Obstructs.SIZE,
                f"asks for {ask.memory_mib}Mi of memory, and {option.instance_type} can give {option.memory_mib}Mi",
            )
        )
    return tuple(found)


def _shares(ask: PodAsk, pool: NodePoolView) -> tuple[Obstacle, ...]:
    asked = ask.most_in_one_container(resources.GPU)
    if pool.most_per_container is None or asked <= pool.most_per_container:
        return ()
    return (
        Obstacle(
            Obstructs.SHARE,
            f"asks for {asked} shares in one container, and its cards are shared: the device plugin refuses"
            f" more than {pool.most_per_container}",
        ),
    )


def _claims(pool: NodePoolView) -> str:
    if pool.claim_template is None:
        return "its nodes do not hand out"
    return f"is not its template {pool.claim_template!r}"
