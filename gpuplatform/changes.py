"""What a change of settings does to nodes that run: which are replaced, why, and when; and what they would lose (G8).

Karpenter replaces a node whose NodePool's template has changed, inside the pool's disruption budgets. A running node
keeps the configuration that its labels name, so the documents must go on defining it until the node is gone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import cast

from gpuplatform.faults import Fault
from gpuplatform.render import sharing
from gpuplatform.render.document import Document
from gpuplatform.render.nodepools import instruction_labels, nodepool
from gpuplatform.settings.disruption import Disruption
from gpuplatform.settings.plan import PlannedNodePool, mig_profile, plan
from gpuplatform.settings.pools import Sharing
from gpuplatform.settings.settings import Settings
from gpuplatform.settings.teams import queued
from gpuplatform.standard.reasons import Reason


@dataclass(frozen=True, slots=True)
class Replacement:
    """Nodes of one NodePool that a change replaces."""

    nodepool: str
    reasons: tuple[str, ...]
    """Each difference of the template, in words."""
    when: str
    """When drift may act, in the pool's own time zone."""


@dataclass(frozen=True, slots=True)
class Change:
    """What becomes of running nodes."""

    replaced: tuple[Replacement, ...]
    added: tuple[str, ...]
    removed: tuple[str, ...]
    """NodePools that go away; deleting one drains and removes its nodes at once, whatever the windows say."""
    unqueued: tuple[str, ...]
    """Namespaces that Kueue no longer looks after; what it gated there nobody lets go."""
    faults: tuple[Fault, ...]
    """Configurations that running nodes wear and the new documents no longer define."""


def compare(was: Settings, now: Settings) -> Change:
    """What changing one environment's settings does to its running nodes."""
    before = {each.name: each for each in plan(was.pools, was.network.zones)}
    after = {each.name: each for each in plan(now.pools, now.network.zones)}
    replaced: list[Replacement] = []
    for name, new in after.items():
        old = before.get(name)
        reasons = _differences(nodepool(old, was.aliases), nodepool(new, now.aliases)) if old else ()
        if reasons:
            replaced.append(Replacement(name, reasons, when(new.pool.disruption)))
    return Change(
        tuple(replaced),
        tuple(name for name in after if name not in before),
        tuple(name for name in before if name not in after),
        tuple(name for name in _queued(was) if name not in _queued(now)),
        tuple(_lost(was, now, before.values())),
    )


def _queued(settings: Settings) -> tuple[str, ...]:
    return tuple(each.name for tenant in settings.tenants for each in queued(tenant))


def when(disruption: Disruption) -> str:
    """When drift may replace nodes, as the settings say it."""
    windows = [window for window in disruption.windows if Reason.DRIFTED in window.reasons]
    at_once = f"{disruption.nodes_at_once} at once"
    if not windows:
        return f"at any time, {at_once}"
    spans = "; ".join(f"{', '.join(window.days)} {window.start} to {window.end}" for window in windows)
    return f"{spans} ({disruption.time_zone}), {at_once}"


def _differences(old: Document, new: Document) -> tuple[str, ...]:
    """Differences of what Karpenter counts as drift: the template's labels, taints, requirements and the rest."""
    before, after = _flat(_template(old)), _flat(_template(new))
    return tuple(
        f"{path}: {before.get(path, 'nothing')} becomes {after.get(path, 'nothing')}"
        for path in sorted({*before, *after})
        if before.get(path) != after.get(path)
    )


def _template(document: Document) -> object:
    return cast(Mapping[str, object], document["spec"])["template"]


def _flat(value: object, path: str = "") -> dict[str, str]:
    """Every leaf by its path; lines of a list that have a key are named by it."""
    if isinstance(value, dict):
        parts: dict[str, str] = {}
        for key, each in cast(Mapping[str, object], value).items():
            parts |= _flat(each, f"{path}.{key}" if path else key)
        return parts
    if isinstance(value, list):
        lines = cast(list[Mapping[str, object]], value)
        return {f"{path}[{each.get('key')}]": _shown(each) for each in lines}
    return {path: str(value)}


def _shown(line: Mapping[str, object]) -> str:
    return ", ".join(f"{key} {value}" for key, value in line.items() if key != "key")


def _lost(was: Settings, now: Settings, running: Iterable[PlannedNodePool]) -> list[Fault]:
    """Configurations that nodes of the earlier NodePools may wear, and that the new documents do not hold."""
    kept = sharing.config_keys(plan(now.pools, now.network.zones), now.pools, now.earlier_sharing)
    faults: dict[str, Fault] = {}
    for each in running:
        worn = instruction_labels(each, was.aliases)
        for key in sharing.config_keys_of(worn) - kept:
            faults[key] = Fault(
                "earlier_sharing",
                f"nothing for {key}, which nodes of {each.name} may still wear",
                "every configuration that a running node wears, until drift has replaced it",
                f"add {_line(each)} to earlier_sharing, and drop it when no node wears it",
            )
    return list(faults.values())


def _line(planned: PlannedNodePool) -> str:
    way = planned.pool.sharing
    if not isinstance(way, Sharing):
        return "nothing"
    chosen = (
        f"mig: {mig_profile(planned.pool)}"
        if way.mig
        else f"{'mps' if way.mps is not None else 'time_slicing'}: {way.shares_per_card}"
    )
    return f"{{card: {planned.card.name}, sharing: {{{chosen}}}}}"
