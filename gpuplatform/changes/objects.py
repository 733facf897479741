"""Every other Kubernetes object: new, changed in place, or gone; no running node is touched by them."""

from __future__ import annotations

from gpuplatform.changes.description import Description
from gpuplatform.changes.differences import differences
from gpuplatform.changes.effect import Effect, Fate, Thing

_TOLD_ELSEWHERE = frozenset({"NodePool", "EC2NodeClass"})


def object_effects(was: Description, now: Description) -> list[Effect]:
    """What becomes of the objects that are no part of a NodePool, by kind and name."""
    if was.documents is None or now.documents is None:
        return []
    effects: list[Effect] = []
    for kind in sorted({*was.by_kind, *now.by_kind} - _TOLD_ELSEWHERE):
        before, after = was.by_kind.get(kind, {}), now.by_kind.get(kind, {})
        for name, document in after.items():
            if name not in before:
                effects.append(Effect(Thing.OBJECT, f"{kind} {name}", Fate.NEW))
            elif reasons := differences(before[name], document):
                effects.append(Effect(Thing.OBJECT, f"{kind} {name}", Fate.CHANGED, reasons))
        effects += [Effect(Thing.OBJECT, f"{kind} {name}", Fate.GONE) for name in before if name not in after]
    return effects
