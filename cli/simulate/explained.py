"""Why pods wait and what to change, derived from the stack's pools and Karpenter's messages."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from cli.pods import kept_away
from gpuplatform.analysis.placement.landing import Reached, landing
from gpuplatform.analysis.placement.view import StackView
from policies.pod import ask
from policies.subject import Subject
from policies.workloads import pod_templates
from sandbox.simulate.missing_pods import MissingPods
from sandbox.simulate.owners import Workload
from sandbox.simulate.snapshot import PodState, Snapshot

_OVER_LIMIT = "exceed limits for nodepool (NodePool={})"
"""Karpenter's message when the ceiling of a NodePool is reached (v1.14, scheduling)."""
_QUOTA = "exceeded quota"
_QUOTA_CHANGE = "ask for less, or raise the namespace's quota in the stack's settings"
_GONE_CHANGE = "remove nodeName, and use a Deployment or a Job, which creates the pod again when its node is gone"
_NODE_CHANGE = "remove nodeName: the scheduler chooses a node, and Karpenter launches one if needed"
_CLAIM = re.compile(r'persistentvolumeclaim(s\b| ")', re.IGNORECASE)
"""The scheduler's message about a claim that does not exist or has no volume."""
_CLAIM_WHY = "a PersistentVolumeClaim does not exist, or has no volume"
_CLAIM_CHANGE = "apply the claim together with the workload, with a storage class of the stack, or correct its name"
_TOGETHER = {
    "anti-affinity": (
        "its anti-affinity excludes every node",
        "make the anti-affinity preferred, or let the pods reach as many nodes or zones as it needs",
    ),
    "pod affinity": (
        "its affinity requires pods that run on no node that it can use",
        "make the affinity preferred, or place the required pods on nodes that this pod can use",
    ),
    "topology spread": (
        "its topology spread excludes every node",
        "make the spread preferred (ScheduleAnyway), raise maxSkew, or let the pods reach more zones",
    ),
}
"""For the names that the scheduler (v1.36, interpodaffinity, podtopologyspread) and Karpenter (v1.14, topology) give to
rules about several pods: why the pods wait, and what to change."""
_LACKS = "Insufficient "
"""How the scheduler's message about a full node begins."""
_ROOM = "raise a ceiling, let the pods reach more of the pool (remove a selection), or wait until other pods end"


@dataclass(frozen=True, slots=True)
class Explained:
    """Pods of one workload that wait for the same reason."""

    workload: Workload
    pods: int
    """How many wait; 0 if a controller cannot create them, or a queue holds the whole workload back."""
    why: tuple[str, ...]
    change: str
    """Empty, like ``why``, if only the programs' own messages are known."""
    said: tuple[str, ...]
    """The messages of the scheduler, of Karpenter or of the controller."""


def explained(snapshot: Snapshot, subjects: Sequence[Subject], view: StackView, named: str) -> tuple[Explained, ...]:
    """One explanation for each workload; ``named`` is the stack as the command line names it."""
    waiting: dict[Workload, list[PodState]] = {}
    for pod in snapshot.waiting:
        waiting.setdefault(pod.workload, []).append(pod)
    by_name = {(subject.kind, subject.namespace or "default", subject.name): subject for subject in subjects}
    return (
        *(
            _waiting(workload, pods, by_name[workload.kind, workload.namespace, workload.name], snapshot, view, named)
            for workload, pods in waiting.items()
        ),
        *(
            _not_made(
                not_made,
                by_name[not_made.workload.kind, not_made.workload.namespace, not_made.workload.name],
                view,
                named,
            )
            for not_made in snapshot.not_made
        ),
    )


def kept(subject: Subject, view: StackView) -> tuple[str, ...]:
    """Why the nearest pools do not accept an object's pods; empty if a pool accepts them."""
    asks = [asked for pod_template in pod_templates(subject) if (asked := ask(pod_template)) is not None]
    judged = [(asked, landing(asked, view)) for asked in asks]
    return tuple(line for asked, place in judged if not place.reached for line in kept_away(asked, place))


def paste(named: str) -> str:
    """What to change if a pod reaches no pool."""
    return f"paste the block of the intended pool: gpuplatform block {named} --pool POOL"


def _waiting(
    workload: Workload, pods: Sequence[PodState], subject: Subject, snapshot: Snapshot, view: StackView, named: str
) -> Explained:
    every = [pod.karpenter for pod in pods if pod.karpenter]
    scheduler = [pod.scheduler for pod in pods if pod.scheduler][:1]
    messages = (*scheduler, *every[:1])
    if nodes := sorted({pod.node for pod in pods if pod.node}):
        why = f"the pods name the node {', '.join(nodes)}, which does not exist"
        return Explained(workload, len(pods), (why,), _NODE_CHANGE, messages)
    if away := kept(subject, view):
        return Explained(workload, len(pods), away, paste(named), messages)
    if any(_CLAIM.search(message) for message in messages):
        return Explained(workload, len(pods), (_CLAIM_WHY,), _CLAIM_CHANGE, messages)
    asks = [asked for pod_template in pod_templates(subject) if (asked := ask(pod_template)) is not None]
    reached = [place for asked in asks for place in landing(asked, view).reached]
    full = {place.node_pool.name: _full(place, snapshot, messages) for place in reached}
    reasons = tuple(reason for reason in full.values() if reason)
    # The scheduler's message is about existing nodes, Karpenter's about every node that it could launch.
    rule = next((words for words in _TOGETHER if messages and words in messages[-1]), None)
    if rule and (every or not reasons):
        why, change = _TOGETHER[rule]
        return Explained(workload, len(pods), (why, *reasons), change, messages)
    if reasons:
        why = tuple(reason or f"{name}: Karpenter finds no room on it" for name, reason in full.items())
        return Explained(workload, len(pods), why, _ROOM, messages)
    return Explained(workload, len(pods), (), "", messages)


def _full(reached: Reached, snapshot: Snapshot, messages: Sequence[str]) -> str | None:
    """Why a suitable NodePool has no room for the pod; None if no message says so."""
    name = reached.node_pool.name
    if reached.node_pool.replicas is not None and any(_LACKS in message for message in messages):
        return f"{name}: its {reached.node_pool.replicas} nodes are full, and their number is fixed"
    if name in snapshot.short:
        return f"{name}: EC2 has no capacity of {', '.join(reached.instance_types)}"
    if any(_OVER_LIMIT.format(name) in message for message in messages):
        return f"{name}: its ceiling is reached"
    return None


def _not_made(missing: MissingPods, subject: Subject, view: StackView, named: str) -> Explained:
    if missing.gone:
        return Explained(missing.workload, 0, missing.says, _GONE_CHANGE, ())
    if away := kept(subject, view):
        return Explained(missing.workload, 0, away, paste(named), missing.says)
    change = _QUOTA_CHANGE if any(_QUOTA in say for say in missing.says) else "change what the message names"
    return Explained(missing.workload, 0, missing.says, change, ())
