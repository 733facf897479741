"""The NodePools on which a pod lands, and the obstacles that keep it from the others.

Karpenter's scheduler and Kubernetes' agree on these rules: the pod tolerates every taint, one instance type in one zone
meets one alternative of the selection, and a node of that type has room. DaemonSets' requests are not counted.
"""

from __future__ import annotations

import enum
import functools
from collections.abc import Iterable
from dataclasses import dataclass

from gpuplatform.analysis.placement.pod import PodAsk, tolerates, unmet
from gpuplatform.analysis.placement.view import LaunchOption, NodePoolView, StackView
from gpuplatform.faults import Fault
from gpuplatform.standard import keys, labels, resources, taints
from gpuplatform.standard.requirements import Requirement
from gpuplatform.standard.taints import Toleration


class Obstructs(enum.Enum):
    """The kinds of obstacle."""

    TAINT = "a taint"
    SELECTION = "the selection"
    RESOURCE = "a resource"
    CLAIM = "a claim"
    SHARE = "more than one share"
    SIZE = "too little room"


@dataclass(frozen=True, slots=True)
class Obstacle:
    """One reason why a pod cannot land on a NodePool, in words."""

    kind: Obstructs
    says: str


@dataclass(frozen=True, slots=True)
class Reached:
    """A NodePool on which a pod can land."""

    node_pool: NodePoolView
    options: tuple[LaunchOption, ...]
    """Instance types on markets that Karpenter could launch for the pod."""

    @property
    def instance_types(self) -> tuple[str, ...]:
        """The types by name, each once."""
        return tuple(dict.fromkeys(option.instance_type for option in self.options))

    @property
    def usd_per_hour(self) -> tuple[float, float] | None:
        """The prices of the cheapest and the most expensive node; None where no price is known."""
        prices = [option.usd_per_hour for option in self.options if option.usd_per_hour is not None]
        return (min(prices), max(prices)) if prices else None


@dataclass(frozen=True, slots=True)
class Landing:
    """The NodePools of a stack that one pod reaches, and the obstacles to the others."""

    reached: tuple[Reached, ...]
    kept_from: tuple[tuple[NodePoolView, tuple[Obstacle, ...]], ...]

    @property
    def pools(self) -> tuple[str, ...]:
        """The pools reached, each once."""
        return tuple(dict.fromkeys(reached.node_pool.pool for reached in self.reached))

    @property
    def wins(self) -> Reached | None:
        """The NodePool that the pod uses first: static nodes, else the elastic NodePool with the highest weight."""
        ordered = sorted(
            self.reached, key=lambda reached: (reached.node_pool.replicas is None, -(reached.node_pool.weight or 0))
        )
        return ordered[0] if ordered else None


def landing(ask: PodAsk, view: StackView) -> Landing:
    """The NodePools of the stack that a pod reaches, and the obstacles to each of the others."""
    comparisons = [(node_pool, obstacles(ask, node_pool)) for node_pool in view.node_pools]
    return Landing(
        reached=tuple(Reached(node_pool, fitting(ask, node_pool)) for node_pool, reasons in comparisons if not reasons),
        kept_from=tuple((node_pool, reasons) for node_pool, reasons in comparisons if reasons),
    )


@functools.lru_cache(maxsize=65_536)
def obstacles(ask: PodAsk, pool: NodePoolView) -> tuple[Obstacle, ...]:
    """Everything that keeps the pod from the NodePool; empty where it can land there."""
    taint_obstacles = tuple(
        Obstacle(Obstructs.TAINT, f"no toleration of the taint {taint.key}={taint.value}:{taint.effect.value}")
        for taint in pool.taints
        if not tolerates(ask.tolerations, taint)
    )
    claim_obstacles = tuple(
        Obstacle(Obstructs.CLAIM, f"claims by the template {claim!r}, which {_claims(pool)}")
        for claim in ask.claims
        if claim != pool.claim_template
    )
    return taint_obstacles + _nearest(ask, pool) + claim_obstacles


def fitting(ask: PodAsk, pool: NodePoolView) -> tuple[LaunchOption, ...]:
    """The options of a NodePool that meet the selection and have room."""
    return tuple(
        option
        for option in pool.options
        if not _lacking(ask, option) and any(not _unmet(alternative, pool, option) for alternative in ask.alternatives)
    )


def _nearest(ask: PodAsk, pool: NodePoolView) -> tuple[Obstacle, ...]:
    """The obstacles of the option with the fewest of them; of several such options, the largest."""
    shares = _shares(ask, pool)
    if not ask.alternatives:
        return (Obstacle(Obstructs.SELECTION, "a required node affinity without a term, which matches no node"),)
    if not pool.options:
        return (Obstacle(Obstructs.SIZE, "no instance type that the catalog knows"),)
    largest_first = sorted(pool.options, key=lambda option: (-sum(option.devices.values()), -option.cpu_millis))
    candidates = (
        (*_selection(_unmet(alternative, pool, option), pool, option), *_lacking(ask, option))
        for option in largest_first
        for alternative in ask.alternatives
    )
    return min(candidates, key=len) + shares


def _unmet(alternative: tuple[Requirement, ...], pool: NodePoolView, option: LaunchOption) -> tuple[Requirement, ...]:
    """Demands that no node of the option meets; one zone must meet all demands on the zone."""
    of_zone = tuple(requirement for requirement in alternative if requirement.key == keys.ZONE)
    others = tuple(requirement for requirement in alternative if requirement.key != keys.ZONE)
    unmet_requirements = unmet(others, {**pool.labels, **option.labels})
    if of_zone and not any(not unmet(of_zone, {keys.ZONE: zone}) for zone in pool.zones):
        unmet_requirements += of_zone
    return unmet_requirements


def _selection(
    unmet_requirements: tuple[Requirement, ...], pool: NodePoolView, option: LaunchOption
) -> tuple[Obstacle, ...]:
    has = {**pool.labels, **option.labels, keys.ZONE: ", ".join(pool.zones)}
    return tuple(
        Obstacle(
            Obstructs.SELECTION,
            f"selects {requirement}, and its nodes have "
            + (
                f"{requirement.key}={has[requirement.key]}" if requirement.key in has else f"no label {requirement.key}"
            ),
        )
        for requirement in unmet_requirements
    )


def _lacking(ask: PodAsk, option: LaunchOption) -> tuple[Obstacle, ...]:
    """The resources of which a node of the option has too little."""
    lacks: list[Obstacle] = []
    for resource, amount in ask.devices:
        capacity = option.devices.get(resource, 0)
        if not capacity:
            others = ", ".join(option.devices) or "no device"
            lacks.append(Obstacle(Obstructs.RESOURCE, f"asks for {resource}, and its nodes offer {others}"))
        elif amount > capacity:
            lacks.append(
                Obstacle(Obstructs.SIZE, f"asks for {amount} {resource}, and {option.instance_type} has {capacity}")
            )
    if ask.cpu_millis > option.cpu_millis:
        lacks.append(
            Obstacle(
                Obstructs.SIZE,
                f"asks for {ask.cpu_millis}m of cpu, and {option.instance_type} can give {option.cpu_millis}m",
            )
        )
    if ask.memory_mib > option.memory_mib:
        lacks.append(
            Obstacle(
                Obstructs.SIZE,
                f"asks for {ask.memory_mib}Mi of memory, and {option.instance_type} can give {option.memory_mib}Mi",
            )
        )
    return tuple(lacks)


def _shares(ask: PodAsk, pool: NodePoolView) -> tuple[Obstacle, ...]:
    share_count = ask.most_in_one_container(resources.GPU)
    if pool.most_per_container is None or share_count <= pool.most_per_container:
        return ()
    return (
        Obstacle(
            Obstructs.SHARE,
            f"asks for {share_count} shares in one container, and its cards are shared: the device plugin refuses"
            f" more than {pool.most_per_container}",
        ),
    )


def _claims(pool: NodePoolView) -> str:
    if pool.claim_template is None:
        return "its nodes do not hand out"
    return f"is not its template {pool.claim_template!r}"


_TOLERATED = (Toleration(keys.GPU_TAINT, None, None), Toleration(taints.DEDICATED_KEY, None, None))
"""The tolerations that public guides recommend for GPU pods."""


def unselective(node_pools: Iterable[NodePoolView]) -> list[Fault]:
    """One fault for each pool that accepts a pod which tolerates GPU nodes and names no purpose."""
    open_to_all: dict[str, list[str]] = {}
    for node_pool in node_pools:
        if any(not obstacles(ask, node_pool) for ask in _asks(node_pool)):
            open_to_all.setdefault(node_pool.pool, []).append(node_pool.name)
    return [
        Fault(
            f"pools[{pool}]",
            f"NodePools that accept a pod which asks for a card and names no purpose: {', '.join(names)}",
            f"a taint {labels.PURPOSE.key} that keeps such a pod away, with an effect other than PreferNoSchedule",
            f"set taint_effect of {pool!r} to {taints.TaintEffect.NO_SCHEDULE.value}",
        )
        for pool, names in open_to_all.items()
    ]


def _asks(node_pool: NodePoolView) -> list[PodAsk]:
    """One unselective pod for each card resource; where cards are claimed, a pod without resources, so that only taints
    keep it away."""
    resource_names = dict.fromkeys(resource for option in node_pool.options for resource in option.devices)
    requests = [((resource, 1),) for resource in resource_names if resources.is_card_resource(resource)]
    if not requests and node_pool.claim_template is not None:
        return [PodAsk(tolerations=_TOLERATED)]
    return [PodAsk(tolerations=_TOLERATED, devices=devices, largest_container=devices) for devices in requests]
