"""A change as text and as plain data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from gpuplatform.changes.comparison import Change
from gpuplatform.changes.effect import Effect, Fate, Thing

_MOST_LINES = 12
"""Of the published contract, and of one thing's reasons; JSON has all of them."""
_MOST_NAMES = 6
_TITLES = {
    (Thing.CLUSTER, Fate.REPLACED): "the cluster {name} is replaced, and everything in it is made anew:",
    (Thing.CLUSTER, Fate.CHANGED): "the cluster {name} changes in place:",
    (Thing.CLUSTER, Fate.IMPOSSIBLE): "warning: the cluster {name} cannot follow, and `up` ends in the middle:",
    (Thing.CONTENTS, Fate.GONE): "everything in the cluster {name} goes, nodes included:",
    (Thing.NETWORK, Fate.REPLACED): "replaced in the network: {name}:",
    (Thing.NETWORK, Fate.CHANGED): "changed in place in the network: {name}:",
    (Thing.NETWORK, Fate.NEW): "new in the network: {name}",
    (Thing.NETWORK, Fate.GONE): "gone from the network: {name}",
    (Thing.NODE_GROUP, Fate.REPLACED): "node groups replaced {when}: {name}:",
    (Thing.NODE_GROUP, Fate.ROLLED): "node groups whose nodes are replaced {when}: {name}:",
    (Thing.NODE_GROUP, Fate.CHANGED): "node groups changed in place: {name}:",
    (Thing.NODE_GROUP, Fate.NEW): "new node groups: {name}",
    (Thing.NODE_GROUP, Fate.GONE): "node groups that go, and their nodes with them: {name}",
    (Thing.NODEPOOL, Fate.REPLACED): "nodes of {name} are replaced, {when}:",
    (Thing.NODEPOOL, Fate.NEW): "new NodePools: {name}",
    (
        Thing.NODEPOOL,
        Fate.GONE,
    ): "NodePools that go, their nodes drained at once, whatever the windows say: {name}",
    (Thing.ADDON, Fate.CHANGED): "add-ons changed in place: {name}:",
    (Thing.ADDON, Fate.NEW): "new add-ons: {name}:",
    (Thing.ADDON, Fate.GONE): "add-ons that go: {name}",
    (Thing.RELEASE, Fate.CHANGED): "releases upgraded: {name}:",
    (Thing.RELEASE, Fate.NEW): "new releases: {name}:",
    (Thing.RELEASE, Fate.GONE): "releases that go: {name}",
}
_IN_THE_CLUSTER = (Thing.NODE_GROUP, Thing.NODEPOOL, Thing.ADDON, Thing.RELEASE, Thing.OBJECT)
_NODES_REPLACED = (Fate.REPLACED, Fate.ROLLED, Fate.GONE)


def change_lines(change: Change, *, whole: bool) -> list[str]:
    """The change for a person: the fate of each thing, then what others read.

    That nothing is replaced is said of a ``whole`` comparison alone, of which no part is unknown.
    """
    effects = [one for one in change.effects if not (change.new_cluster and one.thing in _IN_THE_CLUSTER)]
    lines = [
        *_effect_lines(one for one in effects if one.thing is not Thing.OBJECT),
        *_object_lines([one for one in effects if one.thing is Thing.OBJECT]),
    ]
    if whole and not any(one.thing is not Thing.OBJECT and one.fate in _NODES_REPLACED for one in effects):
        lines.append("no running node is replaced by this change")
    return [
        *lines,
        *_contract_lines(change.contract),
        *(
            f"warning: namespace {name} leaves the queue, and what waits there is gated for good: end its work first"
            " (docs/guides/add-a-tenant.md, take a queue away)"
            for name in change.unqueued
        ),
    ]


def change_json(change: Change, told: Mapping[str, object]) -> dict[str, object]:
    """The same as plain data, everything in full; ``told`` is said of the comparison itself."""
    return {
        "change": {
            **told,
            "effects": [
                {
                    "thing": one.thing.value,
                    "name": one.name,
                    "fate": one.fate.value,
                    "when": one.when,
                    "reasons": list(one.reasons),
                }
                for one in change.effects
            ],
            "contract": list(change.contract),
            "lost_pools": [
                {
                    "name": pool.name,
                    "block_reaches": list(pool.reaches),
                    "kept_away_by": list(pool.away),
                    "manifests": [{"file": one.file, "object": one.name} for one in pool.manifests],
                }
                for pool in change.lost
            ],
            "stranded_manifests": [
                {
                    "file": one.manifest.file,
                    "object": one.manifest.name,
                    "landed_on": list(one.landed_on),
                    "kept_away_by": list(one.away),
                }
                for one in change.stranded
            ],
        },
        "replaced_nodepools": [one.name for one in change.of(Thing.NODEPOOL, Fate.REPLACED)],
        "unqueued_namespaces": list(change.unqueued),
    }


def _effect_lines(effects: Iterable[Effect]) -> list[str]:
    """One title for all things that share fate, time and reasons."""
    alike: dict[Effect, list[str]] = {}
    for effect in effects:
        alike.setdefault(replace(effect, name=""), []).append(effect.name)
    lines: list[str] = []
    for effect, names in alike.items():
        title = _TITLES[effect.thing, effect.fate].format(name=", ".join(names), when=effect.when)
        lines += [title, *_shortened(effect.reasons)]
    return lines


def _object_lines(effects: Sequence[Effect]) -> Iterable[str]:
    """One line for each fate: the objects' contents are in ``render`` and in JSON."""
    for fate, says in ((Fate.NEW, "new"), (Fate.CHANGED, "changed in place"), (Fate.GONE, "that go")):
        names = [one.name for one in effects if one.fate is fate]
        if names:
            more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
            yield f"other objects {says}: {', '.join(names[:_MOST_NAMES])}{more}"


def _contract_lines(contract: Sequence[str]) -> list[str]:
    return ["what other teams read changes:", *_shortened(contract)] if contract else []


def _shortened(lines: Sequence[str]) -> list[str]:
    shown = [f"  {line}" for line in lines[:_MOST_LINES]]
    return shown + ([f"  and {len(lines) - _MOST_LINES} more (--format json)"] if len(lines) > _MOST_LINES else [])
