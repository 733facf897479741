"""The queue labels of work: the namespace's own queue, and a priority that the namespace may use."""

from __future__ import annotations

from collections.abc import Iterable

from gpuplatform.analysis.placement.view import StackView
from gpuplatform.faults import Fault
from gpuplatform.standard import keys
from policies.cel import Cel, every, literal
from policies.rule import Severity, ViewRule
from policies.subject import UNKNOWN, Subject, at, quoted
from policies.workloads import WORKLOAD_KINDS


def _queue_labels(subject: Subject, view: StackView) -> Iterable[Fault]:
    namespace = view.namespace(subject.namespace) if subject.namespace is not None else None
    if namespace is None:
        return
    allowed = {keys.QUEUE_PRIORITY: namespace.priorities}
    if namespace.queue is not None:
        allowed[keys.QUEUE_NAME] = (namespace.queue,)
    meaning = {keys.QUEUE_NAME: "the queue of", keys.QUEUE_PRIORITY: "a priority of"}
    for key, values in allowed.items():
        label = at(subject.body, "metadata", "labels", key)
        if label is not None and label is not UNKNOWN and label not in values:
            yield Fault(
                f"metadata.labels[{key}]",
                quoted(label),
                f"{meaning[key]} {namespace.name}: {', '.join(values)}",
                f"write {key}: {values[0]}, or remove the label",
            )


def _label(key: str) -> str:
    return f"object.metadata.?labels.orValue({{}})[?{literal(key)}]"


POD_QUEUE_ALLOWED = ViewRule(
    name="pod-queue-allowed",
    description="Work waits in its own namespace's queue, at a priority that the namespace may use.",
    severity=Severity.HIGH,
    remediation="Use the namespace's own queue, and a class that the stack's settings give it.",
    kinds=WORKLOAD_KINDS,
    judge=_queue_labels,
    admission=Cel(
        every(
            f'variables.queue == "" || {_label(keys.QUEUE_NAME)}.orValue(variables.queue) == variables.queue',
            f"!{_label(keys.QUEUE_PRIORITY)}.hasValue() || {_label(keys.QUEUE_PRIORITY)}.value() in variables.allowed",
        ),
        message='(variables.queue == "" ? "" : "This namespace waits in the queue " + variables.queue + ". ")'
        ' + "It may use " + variables.allowed.join(", ") + "."',
        gap="jobs of other controllers, which only lint reads",
    ),
)

VIEW_RULES = (POD_QUEUE_ALLOWED,)
