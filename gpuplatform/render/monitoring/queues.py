"""Alerts for each team's queue: work that was evicted, and work that waits for long (Q9)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gpuplatform.render.monitoring.alert import Alert, Severity
from gpuplatform.render.monitoring.parts import grown
from gpuplatform.settings.flavors import TeamQueue

_WINDOW = "10m"
_WAITS_MINUTES = 240
_EVENTS = "kubectl get events -A --field-selector reason=Preempted"


_PREEMPTING = grown("kueue_preempted_workloads_total", "preempting_cluster_queue", _WINDOW) + " > 0"


def queue_alerts(teams: Iterable[TeamQueue]) -> Iterator[Alert]:
    """Two for each team that has a queue."""
    for each in teams:
        queue, owner = each.tenant.name, each.tenant.team
        yield _evicted(queue, owner)
        yield _waits(queue, owner)


def _evicted(queue: str, owner: str) -> Alert:
    return Alert(
        "QueueWorkEvicted",
        grown(f'kueue_evicted_workloads_total{{cluster_queue="{queue}"}}', "cluster_queue, reason", _WINDOW) + " > 0",
        0,
        Severity.NOTE,
        f"work of the queue {queue} was evicted: {{{{ $labels.reason }}}}",
        "Preempted: others took back what they had lent, or came first; the work waits again and goes on from its"
        " checkpoint. Queues that preempted in the same ten minutes:"
        f" {{{{ range query `{_PREEMPTING}` }}}}{{{{ .Labels.preempting_cluster_queue }}}} {{{{ end }}}}"
        f"(no series pairs them with the evicted; the events do: {_EVENTS})."
        " PodsReadyTimeout: its nodes did not come in time.",
        owner=owner,
        labels={"queue": queue},
        asks=(_PREEMPTING,),
        look=(
            _EVENTS,
            "kubectl get events -A --field-selector reason=EvictedDueToPodsReadyTimeout",
            "kubectl -n NAMESPACE get workloads",
        ),
    )


def _waits(queue: str, owner: str) -> Alert:
    return Alert(
        "QueueWorkWaits",
        f'sum by (cluster_queue) (kueue_pending_workloads{{cluster_queue="{queue}"}}) > 0',
        _WAITS_MINUTES,
        Severity.NOTE,
        f"work has waited in the queue {queue} for {_WAITS_MINUTES // 60} hours",
        "Its Workload says for what: more cards than the team may ever have, a quota that others use, or a flavor that"
        " takes work with a topology alone.",
        owner=owner,
        labels={"queue": queue},
        look=(
            "kubectl get workloads -A",
            "kubectl -n NAMESPACE describe workload NAME",
            "kubectl get clusterqueue QUEUE -o yaml",
        ),
    )
