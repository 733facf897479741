"""Changes of all other Kubernetes objects: new, changed in place, or gone; they affect no running node."""

from __future__ import annotations

from gpuplatform.changes.description import Description
from gpuplatform.changes.differences import differences
from gpuplatform.changes.effect import Effect, Fate, Thing

_HANDLED_ELSEWHERE = frozenset({"NodePool", "EC2NodeClass"})


def object_effects(was: Description, now: Description) -> list[Effect]:
    """The effects on objects that are no part of a NodePool, by kind and name."""
    if was.documents is None or now.documents is None:
        return []
    effects: list[Effect] = []
    for kind in sorted({*was.by_kind, *now.by_kind} - _HANDLED_ELSEWHERE):
        before, after = was.by_kind.get(kind, {}), now.by_kind.get(kind, {})
        for name, document in after.items():
            if name not in before:
                effects.append(Effect(Thing.OBJECT, f"{kind} {name}", Fate.NEW))
            elif reasons := differences(before[name], document):
                effects.append(Effect(Thing.OBJECT, f"{kind} {name}", Fate.CHANGED, reasons))
        effects += [Effect(Thing.OBJECT, f"{kind} {name}", Fate.GONE) for name in before if name not in after]
    return effects
