"""Changes of charts and EKS add-ons: new versions, the section of the upgrade guide, and changed values."""

from __future__ import annotations

from collections.abc import Mapping

from gpuplatform.changes.description import Description
from gpuplatform.changes.differences import becomes, differences
from gpuplatform.changes.effect import Effect, Fate, Thing

_GUIDE = "docs/guides/upgrade.md"
_SECTIONS = {
    "karpenter": "Karpenter",
    "karpenter-crd": "Karpenter",
    "gpu-operator": "GPU Operator",
    "kube-prometheus-stack": "Prometheus",
    "prometheus-operator-crds": "Prometheus",
    "keda": "KEDA",
    "kueue": "Kueue",
}
"""Sections of the upgrade guide by chart."""


def release_effects(was: Description, now: Description) -> list[Effect]:
    """The effects on each chart's release and each add-on."""
    effects: list[Effect] = []
    if was.addons is not None and now.addons is not None:
        effects += _of(Thing.ADDON, was.addons, now.addons, {})
    if was.charts is not None and now.charts is not None:
        effects += _of(Thing.RELEASE, was.charts, now.charts, _other_values(was, now))
    return effects


def _of(
    thing: Thing, before: Mapping[str, str], after: Mapping[str, str], others: Mapping[str, tuple[str, ...]]
) -> list[Effect]:
    effects: list[Effect] = []
    for name, version in after.items():
        if name not in before:
            effects.append(Effect(thing, name, Fate.NEW, (version,)))
            continue
        version_changes = becomes("version", before[name], version)
        notes = (f"read {_GUIDE}, {_SECTIONS[name]}",) if version_changes and name in _SECTIONS else ()
        if reasons := (*version_changes, *notes, *others.get(name, ())):
            effects.append(Effect(thing, name, Fate.CHANGED, reasons))
    return effects + [Effect(thing, name, Fate.GONE) for name in before if name not in after]


def _other_values(was: Description, now: Description) -> dict[str, tuple[str, ...]]:
    before, after = was.values or {}, now.values or {}
    return {name: differences({"values": before[name]}, {"values": after[name]}) for name in after if name in before}
