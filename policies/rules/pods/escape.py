"""Pods that bypass the pools: by the name of a node, or by access to GPU nodes without a request for cards."""

from __future__ import annotations

from collections.abc import Iterable

from gpuplatform.analysis.placement.view import StackView
from gpuplatform.faults import Fault
from gpuplatform.standard import keys, resources, taints
from policies.cel import Cel, literal
from policies.pod import asks_for_cards, containers, tolerations
from policies.rule import Rule, Severity, ViewRule
from policies.rules.pods.selection import is_tolerated, is_tolerated_in_cluster
from policies.subject import UNKNOWN, Subject, Unknown, quoted
from policies.workloads import WORKLOAD_KINDS, PodTemplate, pod_templates


def _node_names(subject: Subject) -> Iterable[Fault]:
    return [
        Fault(
            f"{pod.spec_path}.nodeName",
            quoted(node_name),
            "no node name: it bypasses the scheduler, and so every taint and every pool",
            "remove nodeName, and select the pool: `gpuplatform block --stack NAME --pool POOL`",
        )
        for pod in pod_templates(subject)
        if (node_name := pod.spec.get("nodeName")) not in (None, "", UNKNOWN)
    ]


def _idle_pods(subject: Subject, view: StackView) -> Iterable[Fault]:
    if subject.namespace is None or view.namespace(subject.namespace) is None:
        return []
    return [
        Fault(
            path,
            given,
            "no access to GPU nodes for a pod without cards: it would take CPUs from pods with cards",
            "remove it, or paste the block of the intended pool: `gpuplatform block --stack NAME --pool POOL`",
        )
        for pod in pod_templates(subject)
        if not asks_for_cards(pod) and not _may_ask(pod)
        for path, given in _gpu_node_fields(pod)
    ]


def _may_ask(pod: PodTemplate) -> bool:
    """Whether a part of what it asks for is not known yet."""
    parts = [pod.spec.get("containers"), pod.spec.get("initContainers"), pod.spec.get("resourceClaims")]
    parts += [part for container in containers(pod) for part in (container.requests, container.limits)]
    return any(isinstance(part, Unknown) for part in parts)


def _gpu_node_fields(pod: PodTemplate) -> list[tuple[str, str]]:
    """The fields by which a pod reaches GPU nodes, each with its path."""
    pod_tolerations = tolerations(pod)
    fields: list[tuple[str, str]] = []
    if not isinstance(pod_tolerations, Unknown) and any(
        is_tolerated(pod_tolerations, keys.GPU_TAINT, value) for value in taints.IN_CIRCULATION
    ):
        fields.append((f"{pod.spec_path}.tolerations", f"a toleration of the taint {keys.GPU_TAINT}"))
    if pod.spec.get("runtimeClassName") == resources.RUNTIME_CLASS:
        fields.append((f"{pod.spec_path}.runtimeClassName", repr(resources.RUNTIME_CLASS)))
    return fields


POD_NOT_BOUND = Rule(
    name="pod-not-bound",
    description="No pod names its node: the scheduler decides where it runs.",
    severity=Severity.HIGH,
    remediation="Remove nodeName and paste the pool's block.",
    kinds=WORKLOAD_KINDS,
    judge=_node_names,
    # A pod that is changed has its node from the scheduler.
    admission=Cel('variables.spec.?nodeName.orValue("") == "" || oldObject != null && request.kind.kind == "Pod"'),
)

POD_OFF_GPU_NODES = ViewRule(
    name="pod-off-gpu-nodes",
    description="A team's pod that asks for no card does not run on nodes with cards.",
    severity=Severity.HIGH,
    remediation="Remove the toleration and the runtime class, or ask for a card by the pool's block.",
    kinds=WORKLOAD_KINDS,
    judge=_idle_pods,
    admission=Cel(
        "variables.asks || !("
        + " || ".join(is_tolerated_in_cluster(keys.GPU_TAINT, value) for value in taints.IN_CIRCULATION)
        + f' || variables.spec.?runtimeClassName.orValue("") == {literal(resources.RUNTIME_CLASS)})'
    ),
)

RULES = (POD_NOT_BOUND,)
VIEW_RULES = (POD_OFF_GPU_NODES,)
