"""What a campaign's jobs held, as the API server tells it."""

from __future__ import annotations

from datetime import datetime
from typing import Any, cast

from sandbox.cluster import Cluster, items
from tests.soak.queues.shares import Held

WORKLOADS = "workloads.kueue.x-k8s.io"


def queued_jobs(on: Cluster) -> list[Held]:
    """By Kueue's own conditions: a card is a team's from the reservation, the last where there were several."""
    return [
        Held(
            each["metadata"]["namespace"],
            _time(each["metadata"]["creationTimestamp"]),
            _when(each, "QuotaReserved"),
            _when(each, "Finished"),
        )
        for each in _listed(on, WORKLOADS)
    ]


def unqueued_jobs(on: Cluster) -> list[Held]:
    """By their pods: a card is a team's from the binding."""
    submitted = {
        (each["metadata"]["namespace"], each["metadata"]["name"]): _time(each["metadata"]["creationTimestamp"])
        for each in _listed(on, "jobs")
    }
    return [
        Held(
            each["metadata"]["namespace"],
            submitted[each["metadata"]["namespace"], each["metadata"]["labels"]["job-name"]],
            _when(each, "PodScheduled"),
            _time(each["status"]["containerStatuses"][0]["state"]["terminated"]["finishedAt"]),
        )
        for each in _listed(on, "pods")
    ]


def evictions(on: Cluster) -> int:
    """How often a job was sent back after it had been admitted."""
    stats = [each["status"].get("schedulingStats", {}).get("evictions", []) for each in _listed(on, WORKLOADS)]
    return sum(each["count"] for found in stats for each in found)


def _listed(on: Cluster, kind: str) -> list[Any]:
    return cast(list[Any], items(on.plane.kubectl, kind, "-A"))


def _when(found: Any, condition: str) -> float:
    """The moment at which a condition became true."""
    return next(
        _time(each["lastTransitionTime"])
        for each in found["status"]["conditions"]
        if each["type"] == condition and each["status"] == "True"
    )


def _time(text: str) -> float:
    return datetime.fromisoformat(text).timestamp()
