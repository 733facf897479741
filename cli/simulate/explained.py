"""Why pods wait, in plain words, and what to change: from the stack's own pools, and what Karpenter said of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cli.pods import kept_away
from gpuplatform.proofs.capture.landing import Reached, landing
from gpuplatform.proofs.capture.view import StackView
from policies.pod import ask
from policies.subject import Subject
from policies.workloads import pod_templates
from sandbox.simulate.scene import NotMade, Scene, SeenPod, Workload

_OVER_LIMIT = "exceed limits for nodepool (NodePool={})"
"""Karpenter's words of a NodePool whose ceiling is reached (v1.14, scheduling)."""
_QUOTA = "exceeded quota"
_QUOTA_CHANGE = "ask for less, or raise the namespace's quota in the stack's settings"
_ROOM = "raise a ceiling, let the pods reach more of the pool (drop a selection), or wait until others end"


@dataclass(frozen=True, slots=True)
class Explained:
    """Pods of a workload that do not run for the same reason."""

    workload: Workload
    pods: int
    """How many wait; 0 where a controller may not even make them, or a queue holds the whole workload back."""
    why: tuple[str, ...]
    change: str
    said: tuple[str, ...]
    """The words of the scheduler, of Karpenter or of the controller."""


def explained(found: Scene, subjects: Sequence[Subject], view: StackView, named: str) -> tuple[Explained, ...]:
    """One explanation a workload; ``named`` is the stack as the command line names it."""
    waiting: dict[Workload, list[SeenPod]] = {}
    for pod in found.waiting:
        waiting.setdefault(pod.workload, []).append(pod)
    by_name = {(each.kind, each.namespace or "default", each.name): each for each in subjects}
    return (
        *(
            _waiting(workload, pods, by_name[workload.kind, workload.namespace, workload.name], found, view, named)
            for workload, pods in waiting.items()
        ),
        *(
            _not_made(each, by_name[each.workload.kind, each.workload.namespace, each.workload.name], view, named)
            for each in found.not_made
        ),
    )


def kept(subject: Subject, view: StackView) -> tuple[str, ...]:
    """What keeps an object's pods from the pools that come nearest; empty where they reach one."""
    asks = [asked for each in pod_templates(subject) if (asked := ask(each)) is not None]
    judged = [(asked, landing(asked, view)) for asked in asks]
    return tuple(line for asked, found in judged if not found.reached for line in kept_away(asked, found))


def paste(named: str) -> str:
    """What to change where a pod reaches no pool."""
    return f"paste the block of the pool that is meant: gpuplatform block {named} --pool POOL"


def _waiting(
    workload: Workload, pods: Sequence[SeenPod], subject: Subject, found: Scene, view: StackView, named: str
) -> Explained:
    every = [each.karpenter for each in pods if each.karpenter]
    said = (*[each.scheduler for each in pods if each.scheduler][:1], *every[:1])
    if away := kept(subject, view):
        return Explained(workload, len(pods), away, paste(named), said)
    asks = [asked for each in pod_templates(subject) if (asked := ask(each)) is not None]
    reached = [one for asked in asks for one in landing(asked, view).reached]
    why = tuple(dict.fromkeys(_full(one, found, every) for one in reached))
    return Explained(workload, len(pods), why, _ROOM, said)


def _full(one: Reached, found: Scene, said: Sequence[str]) -> str:
    """Why a NodePool that suits the pod has no room for it."""
    name = one.node_pool.name
    if one.node_pool.replicas is not None:
        return f"{name}: its {one.node_pool.replicas} nodes are full, and it has a fixed number of them"
    if name in found.short:
        return f"{name}: EC2 has no capacity of {', '.join(one.instance_types)}"
    if any(_OVER_LIMIT.format(name) in each for each in said):
        return f"{name}: its ceiling is reached"
    return f"{name}: Karpenter finds no room on it"


def _not_made(found: NotMade, subject: Subject, view: StackView, named: str) -> Explained:
    if away := kept(subject, view):
        return Explained(found.workload, 0, away, paste(named), (found.says,))
    change = _QUOTA_CHANGE if _QUOTA in found.says else "change what the message names"
    return Explained(found.workload, 0, (found.says,), change, ())
