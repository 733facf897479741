"""Karpenter's chart values: the interruption queue, and the feature gates that the stack's objects need."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from gpuplatform.faults import Fault
from policies.cel import CHART
from policies.nodepool import nodepool
from policies.rule import Rule, Severity, StackRule
from policies.subject import NODE_OVERLAY, NODE_POOL, RELEASE, UNKNOWN, Plain, Subject, at, quoted, text

_CHART = re.compile(r"(^|/)karpenter([-:]v?\d[^/]*)?$")
_GATES = "values.settings.featureGates"


def _values(subject: Subject) -> Plain:
    """The controller's values; UNKNOWN if the release is another chart's."""
    chart = text(at(subject.body, "chart"))
    return at(subject.body, "values") if isinstance(chart, str) and _CHART.search(chart) else UNKNOWN


def _missing_queue(subject: Subject) -> Iterable[Fault]:
    queue = at(_values(subject), "settings", "interruptionQueue")
    if queue is UNKNOWN or (isinstance(queue, str) and queue):
        return []
    allowed = "the queue of interruptions: without it Karpenter drains no node before AWS reclaims it"
    path = "values.settings.interruptionQueue"
    return [Fault(path, quoted(queue), allowed, "name the queue")]


def _closed_gates(subjects: Sequence[Subject]) -> Iterable[tuple[Subject, Fault]]:
    needs = {
        "nodeOverlay": any(subject.is_a(NODE_OVERLAY) for subject in subjects),
        "staticCapacity": any(subject.is_a(NODE_POOL) and nodepool(subject).is_static for subject in subjects),
    }
    for subject in subjects:
        values = _values(subject) if subject.is_a(RELEASE) else UNKNOWN
        for gate, is_needed in needs.items():
            is_open = at(values, "settings", "featureGates", gate)
            if is_needed and is_open is not UNKNOWN and is_open is not True:
                allowed = "true: the stack has objects that Karpenter ignores while the gate is closed"
                yield subject, Fault(f"{_GATES}.{gate}", quoted(is_open), allowed, f"set {gate}: true")


KARPENTER_HEARS_INTERRUPTIONS = Rule(
    name="karpenter-hears-interruptions",
    description="Karpenter reads the queue in which AWS announces interruptions.",
    severity=Severity.HIGH,
    remediation="Set settings.interruptionQueue to the queue's name.",
    kinds=(RELEASE,),
    judge=_missing_queue,
    admission=CHART,
)

KARPENTER_GATES_OPEN = StackRule(
    name="karpenter-gates-open",
    description="Karpenter's feature gates are open for the overlays and static NodePools of the stack.",
    severity=Severity.CRITICAL,
    remediation="Set settings.featureGates.nodeOverlay and staticCapacity to true.",
    kinds=(RELEASE, NODE_OVERLAY, NODE_POOL),
    judge=_closed_gates,
)

RULES = (KARPENTER_HEARS_INTERRUPTIONS,)
STACK_RULES = (KARPENTER_GATES_OPEN,)
