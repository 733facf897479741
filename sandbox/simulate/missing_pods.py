"""Pods that workloads ask for and that do not exist: refused by the API server, held by a queue, or removed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from gpuplatform.render.document import Document, kind_of
from sandbox.simulate.owners import Owners, Workload, controller, itself, metadata, pods_wanted, root_of, text

_ABOUT_ONE_POD = re.compile(
    r"(\(combined from similar events\): )?"
    r"(Error creating: |create (Claim \S+ for )?Pod \S+ in \S+ \S+ failed error: )?"
    r'(\S+ "[^"]*" is (forbidden|invalid): )?'
)
"""How a FailedCreate event begins (Kubernetes v1.36: pkg/controller, its statefulset, client-go's correlator)."""


@dataclass(frozen=True, slots=True)
class MissingPods:
    """A workload that has fewer pods than it asks for, and why."""

    workload: Workload
    says: tuple[str, ...]
    """The messages of the API server or of the queue, each once."""
    gone: bool = False
    """Whether it is a pod that existed, was removed, and has no controller to make it again."""


def refused(
    events: Iterable[Document], owners: Owners, pods: Iterable[Document], asked: Iterable[Workload]
) -> tuple[MissingPods, ...]:
    """The latest refusal of each controller that has fewer pods than it asks for."""
    has = Counter(controller(pod) for pod in pods if "deletionTimestamp" not in metadata(pod))
    latest: dict[Workload, tuple[str, str]] = {}
    for event in events:
        about = Workload(*(text(event, "involvedObject", key) for key in ("kind", "namespace", "name")))
        owner = owners.get(about)
        # A controller tries again, so a refusal counts only while the controller exists and still lacks pods.
        if event.get("reason") == "FailedCreate" and owner is not None and has[about] < pods_wanted(owner):
            message = (
                str(event.get("lastTimestamp") or ""),
                _ABOUT_ONE_POD.sub("", str(event.get("message")), count=1),
            )
            latest[about] = max(message, latest.get(about, message))
    messages: dict[Workload, dict[str, None]] = {}
    for about, (_, says) in sorted(latest.items()):
        messages.setdefault(root_of(about, owners), {})[says] = None
    asked_workloads = set(asked)
    return tuple(
        MissingPods(workload, tuple(says)) for workload, says in messages.items() if workload in asked_workloads
    )


def queued(admissions: Iterable[Document], asked: Iterable[Workload]) -> tuple[MissingPods, ...]:
    """Workloads that their queue holds back, with Kueue's messages."""
    asked_workloads, waiting = set(asked), list[MissingPods]()
    for admission in admissions:
        above = controller(admission)
        status = cast(Mapping[str, object], admission.get("status") or {})
        conditions = cast(Sequence[Mapping[str, str]], status.get("conditions") or ())
        waits = [
            condition
            for condition in conditions
            if condition["type"] == "QuotaReserved" and condition["status"] == "False"
        ]
        if above in asked_workloads and waits:
            waiting.append(MissingPods(above, (waits[0].get("message", ""),)))
    return tuple(waiting)


def gone(written: Iterable[Document], pods: Iterable[Document]) -> tuple[MissingPods, ...]:
    """Pods that a person wrote and that no longer exist: Kubernetes removes a pod whose node does not exist."""
    there = {itself(pod) for pod in pods if "deletionTimestamp" not in metadata(pod)}
    return tuple(
        MissingPods(
            itself(document),
            (
                f"it names the node {node}, which does not exist, so Kubernetes removed it"
                if (node := text(document, "spec", "nodeName"))
                else "it was removed with its node, and no controller makes it again",
            ),
            gone=True,
        )
        for document in written
        if kind_of(document) == "Pod" and itself(document) not in there
    )
