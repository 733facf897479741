"""A change as text and as plain data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from gpuplatform.changes.comparison import Change
from gpuplatform.changes.effect import Effect, Fate, Thing

_MOST_LINES = 12
"""The most lines to print of the published contract, and of one thing's reasons; JSON has all of them."""
_MOST_NAMES = 6
_TITLES = {
    (Thing.CLUSTER, Fate.REPLACED): "the cluster {name} is replaced, and everything in it is created again:",
    (Thing.CLUSTER, Fate.CHANGED): "the cluster {name} changes in place:",
    (
        Thing.CLUSTER,
        Fate.IMPOSSIBLE,
    ): "warning: EKS cannot make this change to the cluster {name}, so `up` stops halfway:",
    (Thing.CONTENTS, Fate.GONE): "everything in the cluster {name} is removed, including its nodes:",
    (Thing.NETWORK, Fate.REPLACED): "replaced in the network: {name}:",
    (Thing.NETWORK, Fate.CHANGED): "changed in place in the network: {name}:",
    (Thing.NETWORK, Fate.NEW): "new in the network: {name}",
    (Thing.NETWORK, Fate.GONE): "removed from the network: {name}",
    (Thing.NODE_GROUP, Fate.REPLACED): "node groups replaced {when}: {name}:",
    (Thing.NODE_GROUP, Fate.ROLLED): "node groups whose nodes are replaced {when}: {name}:",
    (Thing.NODE_GROUP, Fate.CHANGED): "node groups changed in place: {name}:",
    (Thing.NODE_GROUP, Fate.NEW): "new node groups: {name}",
    (Thing.NODE_GROUP, Fate.GONE): "node groups removed, with their nodes: {name}",
    (Thing.NODEPOOL, Fate.REPLACED): "nodes of {name} are replaced, {when}:",
    (Thing.NODEPOOL, Fate.NEW): "new NodePools: {name}",
    (
        Thing.NODEPOOL,
        Fate.GONE,
    ): "NodePools removed; their nodes drain at once, also outside the disruption windows: {name}",
    (Thing.ADDON, Fate.CHANGED): "add-ons changed in place: {name}:",
    (Thing.ADDON, Fate.NEW): "new add-ons: {name}:",
    (Thing.ADDON, Fate.GONE): "add-ons removed: {name}",
    (Thing.RELEASE, Fate.CHANGED): "releases upgraded: {name}:",
    (Thing.RELEASE, Fate.NEW): "new releases: {name}:",
    (Thing.RELEASE, Fate.GONE): "releases removed: {name}",
}
_IN_THE_CLUSTER = (Thing.NODE_GROUP, Thing.NODEPOOL, Thing.ADDON, Thing.RELEASE, Thing.OBJECT)
_NODES_REPLACED = (Fate.REPLACED, Fate.ROLLED, Fate.GONE)


def change_lines(change: Change, *, is_whole: bool) -> list[str]:
    """The change for a person: the fate of each thing, then the values that other teams read.

    Only a ``whole`` comparison, without unknown parts, says that no running node is replaced.
    """
    effects = [effect for effect in change.effects if not (change.new_cluster and effect.thing in _IN_THE_CLUSTER)]
    lines = [
        *_effect_lines(effect for effect in effects if effect.thing is not Thing.OBJECT),
        *_object_lines([effect for effect in effects if effect.thing is Thing.OBJECT]),
    ]
    if is_whole and not any(effect.thing is not Thing.OBJECT and effect.fate in _NODES_REPLACED for effect in effects):
        lines.append("no running node is replaced by this change")
    return [
        *lines,
        *_contract_lines(change.contract),
        *(
            f"warning: namespace {name} loses its queue, and the jobs that wait in the queue stay suspended: end them"
            " first (docs/guides/add-a-tenant.md, take a queue away)"
            for name in change.unqueued
        ),
    ]


def change_json(change: Change, notes: Mapping[str, object]) -> dict[str, object]:
    """The same as plain data, everything in full; ``notes`` are the keys about the comparison itself."""
    return {
        "change": {
            **notes,
            "effects": [
                {
                    "thing": effect.thing.value,
                    "name": effect.name,
                    "fate": effect.fate.value,
                    "when": effect.when,
                    "reasons": list(effect.reasons),
                }
                for effect in change.effects
            ],
            "contract": list(change.contract),
            "lost_pools": [
                {
                    "name": pool.name,
                    "block_reaches": list(pool.reaches),
                    "kept_away_by": list(pool.away),
                    "manifests": [{"file": manifest.file, "object": manifest.name} for manifest in pool.manifests],
                }
                for pool in change.lost
            ],
            "stranded_manifests": [
                {
                    "file": workload.manifest.file,
                    "object": workload.manifest.name,
                    "landed_on": list(workload.landed_on),
                    "kept_away_by": list(workload.away),
                }
                for workload in change.stranded
            ],
        },
        "replaced_nodepools": [effect.name for effect in change.of(Thing.NODEPOOL, Fate.REPLACED)],
        "unqueued_namespaces": list(change.unqueued),
    }


def _effect_lines(effects: Iterable[Effect]) -> list[str]:
    """One title for all things with the same fate, time and reasons."""
    names_by_effect: dict[Effect, list[str]] = {}
    for effect in effects:
        names_by_effect.setdefault(replace(effect, name=""), []).append(effect.name)
    lines: list[str] = []
    for effect, names in names_by_effect.items():
        title = _TITLES[effect.thing, effect.fate].format(name=", ".join(names), when=effect.when)
        lines += [title, *_first_lines(effect.reasons)]
    return lines


def _object_lines(effects: Sequence[Effect]) -> Iterable[str]:
    """One line for each fate: the objects' contents are in ``render`` and in JSON."""
    for fate, verb in ((Fate.NEW, "new"), (Fate.CHANGED, "changed in place"), (Fate.GONE, "removed")):
        names = [effect.name for effect in effects if effect.fate is fate]
        if names:
            rest_text = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
            yield f"other objects {verb}: {', '.join(names[:_MOST_NAMES])}{rest_text}"


def _contract_lines(contract: Sequence[str]) -> list[str]:
    return ["values that other teams read change:", *_first_lines(contract)] if contract else []


def _first_lines(lines: Sequence[str]) -> list[str]:
    indented = [f"  {line}" for line in lines[:_MOST_LINES]]
    return indented + ([f"  and {len(lines) - _MOST_LINES} more (--format json)"] if len(lines) > _MOST_LINES else [])
