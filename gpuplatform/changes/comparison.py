"""The whole of a change: what becomes of everything that an earlier stack made, and whom it breaks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gpuplatform.changes.cluster import cluster_effects, version_faults
from gpuplatform.changes.contract import contract_changes
from gpuplatform.changes.description import Description, of_settings
from gpuplatform.changes.effect import Effect, Fate, Thing
from gpuplatform.changes.network import network_effects
from gpuplatform.changes.node_groups import node_group_effects
from gpuplatform.changes.nodepools import nodepool_effects
from gpuplatform.changes.objects import object_effects
from gpuplatform.changes.releases import release_effects
from gpuplatform.changes.stranded import LostPool, Manifest, Stranded, lost_pools, stranded
from gpuplatform.changes.windows import windows_by_nodepool
from gpuplatform.changes.worn import dropped_configurations
from gpuplatform.faults import Fault, Severity
from gpuplatform.outputs import parse
from gpuplatform.proofs.capture.landing import landing
from gpuplatform.proofs.capture.stack import stack_view
from gpuplatform.render.dra import template_name
from gpuplatform.settings.settings import Settings
from gpuplatform.settings.teams import queued

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
"""The parts of a description, as a reader knows them."""


@dataclass(frozen=True, slots=True)
class Stack:
    """One side of a comparison."""

    description: Description
    settings: Settings | None
    """Its settings as the code that runs now reads them; None where it cannot."""


@dataclass(frozen=True, slots=True)
class Change:
    """What becomes of a stack that runs."""

    effects: tuple[Effect, ...]
    contract: tuple[str, ...]
    """What other teams read, where it says something else."""
    lost: tuple[LostPool, ...]
    stranded: tuple[Stranded, ...]
    unqueued: tuple[str, ...]
    """Namespaces that Kueue no longer looks after; what it gated there nobody lets go."""
    faults: tuple[Fault, ...]
    """What refuses the change: versions that EKS does not take, configurations that running nodes wear."""
    unknown: tuple[str, ...]
    """What cannot be told, and why."""

    def of(self, thing: Thing, *fates: Fate) -> tuple[Effect, ...]:
        """The effects on things of one kind, of some fates or of all."""
        return tuple(effect for effect in self.effects if effect.thing is thing and (not fates or effect.fate in fates))

    @property
    def new_cluster(self) -> bool:
        """Whether everything in the cluster is made anew with it."""
        return bool(self.of(Thing.CLUSTER, Fate.REPLACED))

    def breaks(self, severity: Severity) -> tuple[Fault, ...]:
        """Whom the change breaks, as findings."""
        return tuple(broken.fault(severity) for broken in (*self.lost, *self.stranded))


def stack_of(settings: Settings) -> Stack:
    """The side of settings that the code that runs now describes, refused ones too, as far as they go."""
    description = of_settings(settings)
    is_whole = description.documents is not None and description.published is not None
    return Stack(description, settings if is_whole else None)


def compare(was: Stack, now: Stack, manifests: Sequence[Manifest] = ()) -> Change:
    """What changing one environment does; ``manifests`` are held against the pools before and after."""
    before, after = was.description, now.description
    lost, left = _broken(was, now, manifests)
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
        stranded=left,
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
        lines.append(f"whom the change strands, and what running nodes wear: the {side} settings are not whole")
    return lines


def _broken(was: Stack, now: Stack, manifests: Sequence[Manifest]) -> tuple[tuple[LostPool, ...], tuple[Stranded, ...]]:
    if now.settings is None or was.description.published is None or now.description.published is None:
        return (), ()
    view = stack_view(now.settings, template_name)
    earlier = stack_view(was.settings, template_name) if was.settings else None
    landed = [(one, landing(one.ask, earlier).pools if earlier else ()) for one in manifests]
    before, after = parse(was.description.published)[0], parse(now.description.published)[0]
    lost = lost_pools(before, after, view, landed) if before and after else ()
    return lost, stranded(view, landed, lost)


def _unqueued(was: Settings, now: Settings) -> tuple[str, ...]:
    still = _queued(now)
    return tuple(name for name in _queued(was) if name not in still)


def _queued(settings: Settings) -> tuple[str, ...]:
    return tuple(namespace.name for tenant in settings.tenants for namespace in queued(tenant))
