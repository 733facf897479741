"""The cards that a campaign's jobs held, read from the API server."""

from __future__ import annotations

from datetime import datetime
from typing import Any, cast

from gpuplatform.render.queues.objects import VERSION
from sandbox.cluster import Cluster
from tests.soak.queues.shares import Held

WORKLOADS = (VERSION, "Workload")


def queued_jobs(on: Cluster) -> list[Held]:
    """Jobs by Kueue's conditions: a team holds a card from the reservation on, or from the last of several."""
    return [
        Held(
            workload["metadata"]["namespace"],
            _time(workload["metadata"]["creationTimestamp"]),
            _when(workload, "QuotaReserved"),
            _when(workload, "Finished"),
        )
        for workload in _listed(on, *WORKLOADS)
    ]


def unqueued_jobs(on: Cluster) -> list[Held]:
    """Jobs by their pods: a team holds a card from the binding of its pod on."""
    submitted = {
        (job["metadata"]["namespace"], job["metadata"]["name"]): _time(job["metadata"]["creationTimestamp"])
        for job in _listed(on, "batch/v1", "Job")
    }
    return [
        Held(
            pod["metadata"]["namespace"],
            submitted[pod["metadata"]["namespace"], pod["metadata"]["labels"]["job-name"]],
            _when(pod, "PodScheduled"),
            _time(pod["status"]["containerStatuses"][0]["state"]["terminated"]["finishedAt"]),
        )
        for pod in _listed(on, "v1", "Pod")
    ]


def evictions(on: Cluster) -> int:
    """The number of evictions of admitted jobs."""
    stats = [workload["status"].get("schedulingStats", {}).get("evictions", []) for workload in _listed(on, *WORKLOADS)]
    return sum(entry["count"] for entries in stats for entry in entries)


def _listed(on: Cluster, version: str, kind: str) -> list[Any]:
    return cast(list[Any], on.items(version, kind))


def _when(document: Any, condition: str) -> float:
    """The moment at which a condition became true."""
    return next(
        _time(entry["lastTransitionTime"])
        for entry in document["status"]["conditions"]
        if entry["type"] == condition and entry["status"] == "True"
    )


def _time(text: str) -> float:
    return datetime.fromisoformat(text).timestamp()
