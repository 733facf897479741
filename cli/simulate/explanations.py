"""Why pods wait and what to change: from the stack's pools, and the messages of the scheduler and of Karpenter."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from cli.pods import obstacle_lines
from gpuplatform.analysis.placement.landing import Reached, landing
from gpuplatform.analysis.placement.pod import PodAsk
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
class Explanation:
    """Pods of one workload that wait for the same reason."""

    workload: Workload
    pods: int
    """How many wait; 0 if a controller cannot create them, or a queue holds the whole workload back."""
    why: tuple[str, ...]
    change: str
    """Empty, like ``why``, if only the programs' own messages are known."""
    messages: tuple[str, ...]
    """The messages of the scheduler, of Karpenter or of the controller."""


def explanations(
    snapshot: Snapshot, subjects: Sequence[Subject], view: StackView, stack_option: str
) -> tuple[Explanation, ...]:
    """One explanation for each workload; ``stack_option`` names the stack on the command line: ``--stack dev``."""
    pods_by_workload: dict[Workload, list[PodState]] = {}
    for pod in snapshot.waiting:
        pods_by_workload.setdefault(pod.workload, []).append(pod)
    by_workload = {
        Workload(subject.kind, subject.namespace or "default", subject.name): subject for subject in subjects
    }
    return (
        *(
            _waiting_explanation(workload, pods, by_workload[workload], snapshot, view, stack_option)
            for workload, pods in pods_by_workload.items()
        ),
        *(
            _missing_explanation(missing, by_workload[missing.workload], view, stack_option)
            for missing in snapshot.missing_pods
        ),
    )


def obstacles(subject: Subject, view: StackView) -> tuple[str, ...]:
    """Why the nearest pools do not accept an object's pods; empty if a pool accepts them."""
    places = [(pod_ask, landing(pod_ask, view)) for pod_ask in _pod_asks(subject)]
    return tuple(line for pod_ask, place in places if not place.reached for line in obstacle_lines(pod_ask, place))


def _pod_asks(subject: Subject) -> list[PodAsk]:
    return [pod_ask for pod_template in pod_templates(subject) if (pod_ask := ask(pod_template)) is not None]


def paste_advice(stack_option: str) -> str:
    """What to change if a pod reaches no pool."""
    return f"paste the block of the intended pool: gpuplatform block {stack_option} --pool POOL"


_Reason: TypeAlias = tuple[tuple[str, ...], str]
"""Why pods wait, and what to change."""


def _waiting_explanation(
    workload: Workload,
    pods: Sequence[PodState],
    subject: Subject,
    snapshot: Snapshot,
    view: StackView,
    stack_option: str,
) -> Explanation:
    karpenter = [pod.karpenter for pod in pods if pod.karpenter][:1]
    scheduler = [pod.scheduler for pod in pods if pod.scheduler][:1]
    messages = (*scheduler, *karpenter)
    why, change = (
        _missing_node(pods)
        or _no_pool(subject, view, stack_option)
        or _missing_claim(messages)
        or _no_room(subject, snapshot, view, messages, karpenter_spoke=bool(karpenter))
    )
    return Explanation(workload, len(pods), why, change, messages)


def _missing_node(pods: Sequence[PodState]) -> _Reason | None:
    nodes = sorted({pod.node for pod in pods if pod.node})
    return ((f"the pods name the node {', '.join(nodes)}, which does not exist",), _NODE_CHANGE) if nodes else None


def _no_pool(subject: Subject, view: StackView, stack_option: str) -> _Reason | None:
    why = obstacles(subject, view)
    return (why, paste_advice(stack_option)) if why else None


def _missing_claim(messages: Sequence[str]) -> _Reason | None:
    has_message = any(_CLAIM.search(message) for message in messages)
    return ((_CLAIM_WHY,), _CLAIM_CHANGE) if has_message else None


def _no_room(
    subject: Subject, snapshot: Snapshot, view: StackView, messages: Sequence[str], *, karpenter_spoke: bool
) -> _Reason:
    """The rule about several pods, or the full NodePools; empty if the messages name neither."""
    candidates = [candidate for pod_ask in _pod_asks(subject) for candidate in landing(pod_ask, view).reached]
    full = {candidate.node_pool.name: _full(candidate, snapshot, messages) for candidate in candidates}
    reasons = tuple(reason for reason in full.values() if reason)
    # The scheduler's message is about existing nodes, Karpenter's about every node that it could launch.
    rule = next((name for name in _TOGETHER if messages and name in messages[-1]), None)
    if rule and (karpenter_spoke or not reasons):
        why, change = _TOGETHER[rule]
        return (why, *reasons), change
    if reasons:
        return tuple(reason or f"{name}: Karpenter finds no room on it" for name, reason in full.items()), _ROOM
    return (), ""


def _full(candidate: Reached, snapshot: Snapshot, messages: Sequence[str]) -> str | None:
    """Why a suitable NodePool has no room for the pod; None if no message says so."""
    name = candidate.node_pool.name
    if candidate.node_pool.replicas is not None and any(_LACKS in message for message in messages):
        return f"{name}: its {candidate.node_pool.replicas} nodes are full, and their number is fixed"
    if name in snapshot.exhausted_node_pools:
        return f"{name}: EC2 has no capacity of {', '.join(candidate.instance_types)}"
    if any(_OVER_LIMIT.format(name) in message for message in messages):
        return f"{name}: its ceiling is reached"
    return None


def _missing_explanation(missing: MissingPods, subject: Subject, view: StackView, stack_option: str) -> Explanation:
    if missing.was_removed:
        return Explanation(missing.workload, 0, missing.messages, _GONE_CHANGE, ())
    if why := obstacles(subject, view):
        return Explanation(missing.workload, 0, why, paste_advice(stack_option), missing.messages)
    change = (
        _QUOTA_CHANGE if any(_QUOTA in message for message in missing.messages) else "change what the message names"
    )
    return Explanation(missing.workload, 0, missing.messages, change, ())
