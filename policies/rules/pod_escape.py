"""Ways past the pools: a node named outright, and GPU nodes for a pod that asks for no card (N1, N3, T3)."""

from __future__ import annotations

from collections.abc import Iterable

from gpuplatform.faults import Fault
from gpuplatform.proofs.capture.view import StackView
from gpuplatform.standard import keys, resources, taints
from policies.cel import Cel, literal
from policies.pod import asks_for_cards, containers, tolerations
from policies.rule import Rule, Severity
from policies.rules.pod_selection import answered, answered_in_cluster
from policies.subject import UNKNOWN, Subject, Unknown, quoted
from policies.view_rule import ViewRule
from policies.workloads import WORKLOAD_KINDS, PodTemplate, pod_templates


def _bound(subject: Subject) -> Iterable[Fault]:
    return [
        Fault(
            f"{pod.spec_path}.nodeName",
            quoted(given),
            "no node's name: it goes past the scheduler, and with it past every taint and every pool",
            "remove nodeName, and select the pool: `gpuplatform block --stack NAME --pool POOL`",
        )
        for pod in pod_templates(subject)
        if (given := pod.spec.get("nodeName")) not in (None, "", UNKNOWN)
    ]


def _idle(subject: Subject, view: StackView) -> Iterable[Fault]:
    if subject.namespace is None or view.namespace(subject.namespace) is None:
        return []
    return [
        Fault(
            path,
            given,
            "nothing of GPU nodes, because the pod asks for no card: it would take their processors from pods that do",
            "remove it, or paste the block of the pool that is meant: `gpuplatform block --stack NAME --pool POOL`",
        )
        for pod in pod_templates(subject)
        if not asks_for_cards(pod) and not _may_ask(pod)
        for path, given in _reaches_for(pod)
    ]


def _may_ask(pod: PodTemplate) -> bool:
    """Whether a part of what it asks for is not known yet."""
    parts = [pod.spec.get("containers"), pod.spec.get("initContainers"), pod.spec.get("resourceClaims")]
    parts += [part for each in containers(pod) for part in (each.requests, each.limits)]
    return any(isinstance(each, Unknown) for each in parts)


def _reaches_for(pod: PodTemplate) -> list[tuple[str, str]]:
    """Where a pod makes its way to GPU nodes, and by what."""
    given = tolerations(pod)
    found: list[tuple[str, str]] = []
    if not isinstance(given, Unknown) and any(answered(given, keys.GPU_TAINT, each) for each in taints.IN_CIRCULATION):
        found.append((f"{pod.spec_path}.tolerations", f"a toleration that answers {keys.GPU_TAINT}"))
    if pod.spec.get("runtimeClassName") == resources.RUNTIME_CLASS:
        found.append((f"{pod.spec_path}.runtimeClassName", repr(resources.RUNTIME_CLASS)))
    return found


POD_NOT_BOUND = Rule(
    name="pod-not-bound",
    description="No pod names its node: where it runs is the scheduler's to say.",
    severity=Severity.HIGH,
    remediation="Remove nodeName and paste the pool's block.",
    kinds=WORKLOAD_KINDS,
    judge=_bound,
    # A pod that is changed has its node from the scheduler.
    admission=Cel('variables.spec.?nodeName.orValue("") == "" || oldObject != null && request.kind.kind == "Pod"'),
)

POD_OFF_GPU_NODES = ViewRule(
    name="pod-off-gpu-nodes",
    description="A team's pod that asks for no card stays away from nodes that have some.",
    severity=Severity.HIGH,
    remediation="Remove the toleration and the runtime class, or ask for a card by the pool's block.",
    kinds=WORKLOAD_KINDS,
    judge=_idle,
    admission=Cel(
        "variables.asks || !("
        + " || ".join(answered_in_cluster(keys.GPU_TAINT, each) for each in taints.IN_CIRCULATION)
        + f' || variables.spec.?runtimeClassName.orValue("") == {literal(resources.RUNTIME_CLASS)})'
    ),
)

RULES = (POD_NOT_BOUND,)
VIEW_RULES = (POD_OFF_GPU_NODES,)
