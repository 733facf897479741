"""Pods that workloads ask for and that do not exist: refused by the API server, held by a queue, or removed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from gpuplatform.render.document import Document, kind_of
from sandbox.simulate.owners import Owners, Workload, controller, desired_pods, metadata, root_of, text, workload_of

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
    messages: tuple[str, ...]
    """The messages of the API server or of the queue, each once."""
    was_removed: bool = False
    """Whether it is a pod that existed, was removed, and has no controller to make it again."""


def refusals(
    events: Iterable[Document], owners: Owners, pods: Iterable[Document], workloads: Iterable[Workload]
) -> tuple[MissingPods, ...]:
    """The latest refusal of each controller that has fewer pods than it asks for."""
    pod_counts = Counter(controller(pod) for pod in pods if "deletionTimestamp" not in metadata(pod))
    latest: dict[Workload, tuple[str, str]] = {}
    for event in events:
        controller_id = Workload(*(text(event, "involvedObject", key) for key in ("kind", "namespace", "name")))
        owner = owners.get(controller_id)
        # A controller tries again, so a refusal counts only while the controller exists and still lacks pods.
        if (
            event.get("reason") == "FailedCreate"
            and owner is not None
            and pod_counts[controller_id] < desired_pods(owner)
        ):
            time_and_message = (
                str(event.get("lastTimestamp") or ""),
                _ABOUT_ONE_POD.sub("", str(event.get("message")), count=1),
            )
            latest[controller_id] = max(time_and_message, latest.get(controller_id, time_and_message))
    messages: dict[Workload, dict[str, None]] = {}
    for controller_id, (_, message) in sorted(latest.items()):
        messages.setdefault(root_of(controller_id, owners), {})[message] = None
    workload_set = set(workloads)
    return tuple(
        MissingPods(workload, tuple(texts)) for workload, texts in messages.items() if workload in workload_set
    )


def queue_waits(admissions: Iterable[Document], workloads: Iterable[Workload]) -> tuple[MissingPods, ...]:
    """Workloads that their queue holds back, with Kueue's messages."""
    workload_set, missing_pods = set(workloads), list[MissingPods]()
    for admission in admissions:
        workload = controller(admission)
        status = cast(Mapping[str, object], admission.get("status") or {})
        conditions = cast(Sequence[Mapping[str, str]], status.get("conditions") or ())
        held_conditions = [
            condition
            for condition in conditions
            if condition["type"] == "QuotaReserved" and condition["status"] == "False"
        ]
        if workload in workload_set and held_conditions:
            missing_pods.append(MissingPods(workload, (held_conditions[0].get("message", ""),)))
    return tuple(missing_pods)


def removals(documents: Iterable[Document], pods: Iterable[Document]) -> tuple[MissingPods, ...]:
    """Pods that a person wrote and that no longer exist: Kubernetes removes a pod whose node does not exist."""
    existing_pods = {workload_of(pod) for pod in pods if "deletionTimestamp" not in metadata(pod)}
    return tuple(
        MissingPods(
            workload_of(document),
            (
                f"it names the node {node}, which does not exist, so Kubernetes removed it"
                if (node := text(document, "spec", "nodeName"))
                else "it was removed with its node, and no controller makes it again",
            ),
            was_removed=True,
        )
        for document in documents
        if kind_of(document) == "Pod" and workload_of(document) not in existing_pods
    )
