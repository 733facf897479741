"""Containers that request memory without a limit: the namespace's default limit then applies."""

from __future__ import annotations

from collections.abc import Iterable

from gpuplatform.analysis.placement.view import StackView
from gpuplatform.faults import Fault
from gpuplatform.standard import resources
from gpuplatform.standard.quantities import mebibytes, quantity
from policies.cel import NotInCluster
from policies.pod import containers
from policies.rule import Severity, ViewRule
from policies.subject import Subject, at, text
from policies.workloads import WORKLOAD_KINDS, pod_templates


def _unbounded(subject: Subject, view: StackView) -> Iterable[Fault]:
    namespace = view.namespace(subject.namespace) if subject.namespace is not None else None
    if namespace is None:
        return
    for container in (item for pod in pod_templates(subject) for item in containers(pod)):
        asked = text(at(container.requests, resources.MEMORY))
        amount = quantity(asked) if isinstance(asked, str) else None
        if amount is None or at(container.limits, resources.MEMORY) is not None:
            continue
        if mebibytes(amount) > namespace.default_memory_mib:
            yield Fault(
                f"{container.path}.limits[{resources.MEMORY}]",
                f"no limit beside a request of {asked}",
                f"a limit: {namespace.name} gives {namespace.default_memory_mib}Mi to a container without one, and"
                " Kubernetes refuses a limit below the request",
                f"add {resources.MEMORY}: {asked} to limits",
            )


POD_MEMORY_BOUNDED = ViewRule(
    name="pod-memory-bounded",
    description="A container that asks for more memory than its namespace's default limit names a limit of its own.",
    severity=Severity.MEDIUM,
    remediation="Add a memory limit of at least the request.",
    kinds=WORKLOAD_KINDS,
    judge=_unbounded,
    admission=NotInCluster("Kubernetes refuses the pod itself, with both numbers"),
)

VIEW_RULES = (POD_MEMORY_BOUNDED,)
