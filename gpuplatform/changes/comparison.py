"""A change as a whole: its effects on everything that the earlier stack made, and the pods that it breaks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gpuplatform.analysis.placement.landing import landing
from gpuplatform.analysis.placement.stack import stack_view
from gpuplatform.changes.cluster import cluster_effects, version_faults
from gpuplatform.changes.contract import contract_changes
from gpuplatform.changes.description import Description, of_settings
from gpuplatform.changes.effect import Effect, Fate, Thing
from gpuplatform.changes.kept_configurations import dropped_configurations
from gpuplatform.changes.network import network_effects
from gpuplatform.changes.node_groups import node_group_effects
from gpuplatform.changes.nodepools import nodepool_effects
from gpuplatform.changes.objects import object_effects
from gpuplatform.changes.releases import release_effects
from gpuplatform.changes.stranded import LostPool, Manifest, Stranded, lost_pools, stranded
from gpuplatform.changes.windows import windows_by_nodepool
from gpuplatform.faults import Fault, Severity
from gpuplatform.outputs import parse
from gpuplatform.plan.teams import queued
from gpuplatform.settings.settings import Settings

_PARTS = {
    "settings": "settings",
    "subnets": "subnets",
    "documents": "Kubernetes objects",
    "values": "chart values",
    "node_groups": "static node groups",
    "node_release": "image of node groups",
    "addons": "versions of add-ons",
    "charts": "versions of charts",
    "published": "published outputs",
}
"""The parts of a description, as users call them."""


@dataclass(frozen=True, slots=True)
class Stack:
    """One side of a comparison."""

    description: Description
    settings: Settings | None
    """Its settings as the present code reads them; None where it cannot read them."""


@dataclass(frozen=True, slots=True)
class Change:
    """The effects of a change on a running stack."""

    effects: tuple[Effect, ...]
    contract: tuple[str, ...]
    """Differences of the outputs that other teams read, one line each."""
    lost: tuple[LostPool, ...]
    stranded: tuple[Stranded, ...]
    unqueued: tuple[str, ...]
    """Namespaces that Kueue no longer manages: the jobs that it holds back there are never released."""
    faults: tuple[Fault, ...]
    """Faults that refuse the change: versions that EKS does not accept, configurations that running nodes still use."""
    unknown: tuple[str, ...]
    """Parts that could not be compared, and why."""

    def of(self, thing: Thing, *fates: Fate) -> tuple[Effect, ...]:
        """The effects on things of one kind, limited to some fates if any are named."""
        return tuple(effect for effect in self.effects if effect.thing is thing and (not fates or effect.fate in fates))

    @property
    def new_cluster(self) -> bool:
        """Whether the cluster is replaced, with everything in it."""
        return bool(self.of(Thing.CLUSTER, Fate.REPLACED))

    def breaks(self, severity: Severity) -> tuple[Fault, ...]:
        """Pools and manifests that the change breaks, as faults."""
        return tuple(broken.fault(severity) for broken in (*self.lost, *self.stranded))


def stack_of(settings: Settings) -> Stack:
    """One side of a comparison, described by the present code; the settings may be refused ones."""
    description = of_settings(settings)
    is_whole = description.documents is not None and description.published is not None
    return Stack(description, settings if is_whole else None)


def compare(was: Stack, now: Stack, manifests: Sequence[Manifest] = ()) -> Change:
    """The effects of changing one environment; ``manifests`` are placed on the pools before and after."""
    before, after = was.description, now.description
    lost, stranded_manifests = _broken(was, now, manifests)
    return Change(
        effects=(
            *cluster_effects(before, after),
            *network_effects(before, after),
            *node_group_effects(before, after),
            *nodepool_effects(before, after, windows_by_nodepool(now.settings) if now.settings else {}),
            *release_effects(before, after),
            *object_effects(before, after),
        ),
        contract=contract_changes(before, after),
        lost=lost,
        stranded=stranded_manifests,
        unqueued=_unqueued(was.settings, now.settings) if was.settings and now.settings else (),
        unknown=(*_unknown("earlier", was), *_unknown("new", now)),
        faults=(
            *version_faults(before, after),
            *(dropped_configurations(was.settings, now.settings) if was.settings and now.settings else ()),
        ),
    )


def _unknown(side: str, stack: Stack) -> list[str]:
    lines = [f"the {side} {_PARTS[part]}: {why}" for part, why in stack.description.unknown.items() if part in _PARTS]
    if stack.settings is None:
        lines.append(
            f"lost manifests, and configurations that running nodes still use: the {side} settings are incomplete"
        )
    return lines


def _broken(was: Stack, now: Stack, manifests: Sequence[Manifest]) -> tuple[tuple[LostPool, ...], tuple[Stranded, ...]]:
    if now.settings is None or was.description.published is None or now.description.published is None:
        return (), ()
    view = stack_view(now.settings)
    earlier = stack_view(was.settings) if was.settings else None
    landed = [(manifest, landing(manifest.ask, earlier).pools if earlier else ()) for manifest in manifests]
    before, after = parse(was.description.published)[0], parse(now.description.published)[0]
    lost = lost_pools(before, after, view, landed) if before and after else ()
    return lost, stranded(view, landed, lost)


def _unqueued(was: Settings, now: Settings) -> tuple[str, ...]:
    queued_now = _queued(now)
    return tuple(name for name in _queued(was) if name not in queued_now)


def _queued(settings: Settings) -> tuple[str, ...]:
    return tuple(namespace.name for tenant in settings.tenants for namespace in queued(tenant))
