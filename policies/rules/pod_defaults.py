"""What a namespace's defaults do to pods that say half: memory asked for, and no limit (Q2)."""

from __future__ import annotations

from collections.abc import Iterable

from gpuplatform.faults import Fault
from gpuplatform.proofs.capture.quantity import mebibytes, quantity
from gpuplatform.proofs.capture.view import StackView
from gpuplatform.standard import resources
from policies.cel import NotInCluster
from policies.pod import containers
from policies.rule import Severity
from policies.subject import Subject, at, text
from policies.view_rule import ViewRule
from policies.workloads import WORKLOAD_KINDS, pod_templates


def _unbounded(subject: Subject, view: StackView) -> Iterable[Fault]:
    namespace = view.namespace(subject.namespace) if subject.namespace is not None else None
    if namespace is None:
        return
    for container in (each for pod in pod_templates(subject) for each in containers(pod)):
        asked = text(at(container.requests, resources.MEMORY))
        amount = quantity(asked) if isinstance(asked, str) else None
        if amount is None or at(container.limits, resources.MEMORY) is not None:
            continue
        if mebibytes(amount) > namespace.default_memory_mib:
            yield Fault(
                f"{container.path}.limits[{resources.MEMORY}]",
                f"no limit beside a request of {asked}",
                f"a limit: {namespace.name} gives {namespace.default_memory_mib}Mi to a container without one, and with"
                " less than the request the pod would never be made",
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
