"""Why pods wait, in plain words, and what to change: from the stack's own pools, and what Karpenter said of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from cli.pods import kept_away
from gpuplatform.proofs.capture.landing import Reached, landing
from gpuplatform.proofs.capture.view import StackView
from policies.pod import ask
from policies.subject import Subject
from policies.workloads import pod_templates
from sandbox.simulate.owners import Workload
from sandbox.simulate.scene import Scene, SeenPod
from sandbox.simulate.withheld import NotMade

_OVER_LIMIT = "exceed limits for nodepool (NodePool={})"
"""Karpenter's words of a NodePool whose ceiling is reached (v1.14, scheduling)."""
_QUOTA = "exceeded quota"
_QUOTA_CHANGE = "ask for less, or raise the namespace's quota in the stack's settings"
_GONE_CHANGE = "name no node, and let a Deployment or a Job make the pod again when its node goes"
_NODE_CHANGE = "name no node: the scheduler finds one, and Karpenter buys it"
_CLAIM = re.compile(r'persistentvolumeclaim(s\b| ")', re.IGNORECASE)
"""The scheduler's words of a claim that is not there, or that no volume answers."""
_CLAIM_WHY = "a PersistentVolumeClaim is not there, or no volume answers it"
_CLAIM_CHANGE = "apply the claim with the workload, of a storage class that the stack has, or mend its name"
_TOGETHER = {
    "anti-affinity": (
        "its anti-affinity leaves no place",
        "let the anti-affinity be preferred, or let the pods reach as many nodes or zones as it needs",
    ),
    "pod affinity": (
        "the pods that its affinity asks for are on no node that it may have",
        "let the affinity be preferred, or place the pods that it asks for where these can be",
    ),
    "topology spread": (
        "its topology spread leaves no place",
        "let the spread be preferred (ScheduleAnyway) or less even, or let the pods reach more zones",
    ),
}
"""By what the scheduler (v1.36, interpodaffinity, podtopologyspread) and Karpenter (v1.14, topology) call a rule about
pods together: why they wait, and what to change."""
_LACKS = "Insufficient "
"""The scheduler's word of a node that is too full."""
_ROOM = "raise a ceiling, let the pods reach more of the pool (drop a selection), or wait until others end"


@dataclass(frozen=True, slots=True)
class Explained:
    """Pods of a workload that do not run for the same reason."""

    workload: Workload
    pods: int
    """How many wait; 0 where a controller may not even make them, or a queue holds the whole workload back."""
    why: tuple[str, ...]
    change: str
    """Empty where the programs' words are all that is known; so is ``why``."""
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
    scheduler = [each.scheduler for each in pods if each.scheduler][:1]
    said = (*scheduler, *every[:1])
    if nodes := sorted({each.node for each in pods if each.node}):
        why = f"the node {', '.join(nodes)}, which is not there, is the one that they name"
        return Explained(workload, len(pods), (why,), _NODE_CHANGE, said)
    if away := kept(subject, view):
        return Explained(workload, len(pods), away, paste(named), said)
    if any(_CLAIM.search(each) for each in said):
        return Explained(workload, len(pods), (_CLAIM_WHY,), _CLAIM_CHANGE, said)
    asks = [asked for each in pod_templates(subject) if (asked := ask(each)) is not None]
    reached = [one for asked in asks for one in landing(asked, view).reached]
    full = {one.node_pool.name: _full(one, found, said) for one in reached}
    known = tuple(each for each in full.values() if each)
    # The scheduler speaks of the nodes that are there, Karpenter of any that it could buy.
    rule = next((each for each in _TOGETHER if said and each in said[-1]), None)
    if rule and (every or not known):
        why, change = _TOGETHER[rule]
        return Explained(workload, len(pods), (why, *known), change, said)
    if known:
        why = tuple(each or f"{name}: Karpenter finds no room on it" for name, each in full.items())
        return Explained(workload, len(pods), why, _ROOM, said)
    return Explained(workload, len(pods), (), "", said)


def _full(one: Reached, found: Scene, said: Sequence[str]) -> str | None:
    """Why a NodePool that suits the pod has no room for it, None where nobody says that it has none."""
    name = one.node_pool.name
    if one.node_pool.replicas is not None and any(_LACKS in each for each in said):
        return f"{name}: its {one.node_pool.replicas} nodes are full, and it has a fixed number of them"
    if name in found.short:
        return f"{name}: EC2 has no capacity of {', '.join(one.instance_types)}"
    if any(_OVER_LIMIT.format(name) in each for each in said):
        return f"{name}: its ceiling is reached"
    return None


def _not_made(found: NotMade, subject: Subject, view: StackView, named: str) -> Explained:
    if found.gone:
        return Explained(found.workload, 0, found.says, _GONE_CHANGE, ())
    if away := kept(subject, view):
        return Explained(found.workload, 0, away, paste(named), found.says)
    change = _QUOTA_CHANGE if any(_QUOTA in each for each in found.says) else "change what the message names"
    return Explained(found.workload, 0, found.says, change, ())
