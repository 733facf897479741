"""What a NodePool's budgets do not decide, in words: what never happens, and what happens whatever they say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from gpuplatform.proofs.calendar.week import Stretch
from gpuplatform.standard.reasons import Reason

_NEVER = "Never"


@dataclass(frozen=True, slots=True)
class Remark:
    """One thing about a NodePool that its hours do not show."""

    reasons: tuple[Reason, ...]
    """The reasons that it is about; empty where it is about something that no budget counts."""
    says: str


def remarks(nodepool: Mapping[str, object], weeks: Mapping[Reason, Sequence[Stretch]]) -> tuple[Remark, ...]:
    """Of one NodePool, from its document and its hours.

    Sources: Karpenter v1.14.1, in ``pkg/controllers``: ``disruption/emptiness.go``, ``consolidation.go``,
    ``staticdrift.go``, ``types.go`` (``NewCandidate``), and ``nodeclaim/expiration``.
    """
    spec = cast(Mapping[str, object], nodepool["spec"])
    return (*_never(spec, weeks), *_in_spite(spec))


def _never(spec: Mapping[str, object], weeks: Mapping[Reason, Sequence[Stretch]]) -> list[Remark]:
    disruption = cast(Mapping[str, object], spec.get("disruption") or {})
    found = [
        Remark((reason,), f"{reason.value} never happens: a budget of 0 is active all week")
        for reason, week in weeks.items()
        if all(each.nodes == 0 for each in week)
    ]
    consolidating = (Reason.EMPTY, Reason.UNDERUTILIZED)
    replicas = cast(int | None, spec.get("replicas"))
    if replicas is not None:
        found.append(Remark(consolidating, "static: its nodes are never consolidated, even when they are empty"))
        nodes = cast(Mapping[str, object], spec.get("limits") or {}).get("nodes")
        if nodes is not None and int(str(nodes)) <= replicas:
            found.append(
                Remark(
                    (Reason.DRIFTED,),
                    f"Drifted never happens: limits.nodes ({nodes}) leaves no place for a replacement",
                )
            )
    elif disruption.get("consolidateAfter") == _NEVER:
        found.append(Remark(consolidating, "consolidateAfter is Never: its nodes are never consolidated"))
    elif disruption.get("consolidationPolicy") == "WhenEmpty":
        found.append(
            Remark((Reason.UNDERUTILIZED,), "Underutilized never happens: consolidation takes empty nodes only")
        )
    return found


def _in_spite(spec: Mapping[str, object]) -> list[Remark]:
    template = cast(Mapping[str, Mapping[str, object]], spec["template"])["spec"]
    found: list[Remark] = []
    # What the definition writes where nothing stands.
    age = str(template.get("expireAfter", "720h"))
    if age != _NEVER:
        found.append(Remark((), f"expiry ignores budgets: a node older than {age} is replaced at any time"))
    grace = template.get("terminationGracePeriod")
    if grace is not None:
        found.append(
            Remark(
                (Reason.DRIFTED,),
                f"terminationGracePeriod beats do-not-disrupt: drift may take a node with such pods, and ends them"
                f" after {grace}",
            )
        )
    if spec.get("replicas") is not None:
        found.append(Remark((), "scaling replicas down ignores budgets"))
    return found
