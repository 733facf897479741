"""Remarks on a NodePool: disruptions that never happen, and disruptions that budgets do not prevent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from gpuplatform.analysis.disruption.week import Stretch
from gpuplatform.standard.markets import Reason

_NEVER = "Never"


@dataclass(frozen=True, slots=True)
class Remark:
    """One fact about a NodePool that its week of budgets does not show."""

    reasons: tuple[Reason, ...]
    """The reasons that the remark is about; empty for a disruption that no budget counts."""
    says: str


def remarks(nodepool: Mapping[str, object], weeks: Mapping[Reason, Sequence[Stretch]]) -> tuple[Remark, ...]:
    """The remarks on one NodePool, from its document and its week of budgets.

    Sources: Karpenter v1.14.1, in ``pkg/controllers``: ``disruption/emptiness.go``, ``consolidation.go``,
    ``staticdrift.go``, ``types.go`` (``NewCandidate``), and ``nodeclaim/expiration``.
    """
    spec = cast(Mapping[str, object], nodepool["spec"])
    return (*_never(spec, weeks), *_in_spite(spec))


def _never(spec: Mapping[str, object], weeks: Mapping[Reason, Sequence[Stretch]]) -> list[Remark]:
    disruption = cast(Mapping[str, object], spec.get("disruption") or {})
    notes = [
        Remark((reason,), f"{reason.value} never happens: a budget of 0 is active all week")
        for reason, week in weeks.items()
        if all(stretch.nodes == 0 for stretch in week)
    ]
    consolidating = (Reason.EMPTY, Reason.UNDERUTILIZED)
    replicas = cast(int | None, spec.get("replicas"))
    if replicas is not None:
        notes.append(Remark(consolidating, "static: its nodes are never consolidated, even when they are empty"))
        nodes = cast(Mapping[str, object], spec.get("limits") or {}).get("nodes")
        if nodes is not None and int(str(nodes)) <= replicas:
            notes.append(
                Remark(
                    (Reason.DRIFTED,),
                    f"Drifted never happens: limits.nodes ({nodes}) leaves no place for a replacement",
                )
            )
    elif disruption.get("consolidateAfter") == _NEVER:
        notes.append(Remark(consolidating, "consolidateAfter is Never: its nodes are never consolidated"))
    elif disruption.get("consolidationPolicy") == "WhenEmpty":
        notes.append(
            Remark((Reason.UNDERUTILIZED,), "Underutilized never happens: consolidation takes empty nodes only")
        )
    return notes


def _in_spite(spec: Mapping[str, object]) -> list[Remark]:
    template = cast(Mapping[str, Mapping[str, object]], spec["template"])["spec"]
    notes: list[Remark] = []
    # The default of the NodePool's definition.
    age = str(template.get("expireAfter", "720h"))
    if age != _NEVER:
        notes.append(Remark((), f"expiry ignores budgets: a node older than {age} is replaced at any time"))
    grace = template.get("terminationGracePeriod")
    if grace is not None:
        notes.append(
            Remark(
                (Reason.DRIFTED,),
                "terminationGracePeriod overrides do-not-disrupt:"
                f" drift may replace a node with such pods, and ends them after {grace}",
            )
        )
    if spec.get("replicas") is not None:
        notes.append(Remark((), "scaling replicas down ignores budgets"))
    return notes
