"""The rollout of a release's workloads: waits until the real scheduler has placed them, or reports why it has not."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import cast

from sandbox.cloud.references import at_path
from sandbox.cloud.store import Plain, Properties
from sandbox.control_plane.api import Api, Place
from sandbox.errors import RefusedError

_LIMIT_SECONDS = 360.0
"""The limit for a slow rollout."""
_REFUSED_SECONDS = 40.0
"""A pod that is refused for so long will not be placed: the system group's nodes exist before it, and Karpenter's nodes
join within seconds."""
_LOOK_SECONDS = 1.0
_REFUSAL_OF_A_CLAIM = ("FailedBinding", "ProvisioningFailed")
"""Reasons of the volume controller's events (kubernetes pkg/controller/volume/events/event.go v1.35)."""


@dataclass(slots=True)
class _Refused:
    """The pods and workloads that are refused now, and since when."""

    since: dict[str, float] = field(default_factory=dict[str, float])
    words: dict[str, str] = field(default_factory=dict[str, str])

    def now(self, words: dict[str, str]) -> None:
        """Record the present refusals; earlier ones that have ended are removed."""
        self.since = {name: self.since.get(name, time.monotonic()) for name in words}
        self.words = words

    def final(self) -> bool:
        """Whether a pod or workload has been refused for too long."""
        return any(time.monotonic() - since > _REFUSED_SECONDS for since in self.since.values())


@dataclass(frozen=True, slots=True)
class Rollout:
    """Waits for workloads of one API server."""

    api: Api

    def await_standing(self, what: str, places: Iterable[Place]) -> None:
        """Return once every pod of the workloads runs, or has completed where it belongs to a Job.

        Raises RefusedError, which names the pods that have no node, with the scheduler's message.
        """
        remaining, refused, looked = list(places), _Refused(), [time.monotonic()]

        def ended() -> bool:
            remaining[:] = [place for place in remaining if not stands(self.api.read(place) or {})]
            if remaining and time.monotonic() - looked[0] > _LOOK_SECONDS:
                looked[0] = time.monotonic()
                refused.now(self._refusals(remaining))
            return not remaining or refused.final()

        in_time = self.api.wait(ended, _LIMIT_SECONDS)
        if not remaining:
            return
        words = "; ".join(refused.words.values()) or ", ".join(f"{place} is not ready" for place in remaining)
        after = "" if in_time else f" after {_LIMIT_SECONDS:g} s"
        raise RefusedError(f"{what}{after}: {words}")

    def _refusals(self, places: Sequence[Place]) -> dict[str, str]:
        """The pods that are not placed and the workloads without pods, each with the message of the refusal."""
        words: dict[str, str] = {}
        for place in places:
            workload = self.api.read(place) or {}
            namespace, name = (str(cast(Properties, workload["metadata"])[key]) for key in ("namespace", "name"))
            pods = self.api.items("v1", "Pod", namespace, labels=_selector(workload))
            for pod in pods:
                if message := unscheduled(pod):
                    pod_name = cast(Properties, pod["metadata"])["name"]
                    claims = "".join(f"; {claim}" for claim in self._claims(namespace, pod))
                    words[f"{namespace}/{pod_name}"] = f"pod {namespace}/{pod_name} is not placed: {message}{claims}"
            if not pods:
                words |= self._not_made(namespace, f"{workload['kind']} {namespace}/{name}", name)
        return words

    def _claims(self, namespace: str, pod: Properties) -> Iterator[str]:
        for claim in at_path(pod, "spec.volumes.persistentVolumeClaim.claimName"):
            for message in self._events(namespace, str(claim).__eq__, _REFUSAL_OF_A_CLAIM):
                yield f"claim {namespace}/{claim}: {message}"

    def _not_made(self, namespace: str, workload: str, name: str) -> dict[str, str]:
        """Why a controller makes no pod: some controllers report this only in events."""

        def belongs(about: str) -> bool:
            return about == name or about.startswith(f"{name}-")  # a Deployment's ReplicaSet

        return {
            f"{workload} {message}": f"{workload} has no pods: {message}"
            for message in self._events(namespace, belongs, ("FailedCreate",))
        }

    def _events(self, namespace: str, about: Callable[[str], bool], reasons: Sequence[str]) -> list[str]:
        events = [
            event
            for reason in reasons
            for event in self.api.items("v1", "Event", namespace, fields={"reason": reason})
            if about(str(cast(Properties, event["involvedObject"])["name"]))
        ]
        return list(dict.fromkeys(str(event["message"]) for event in events))


def stands(workload: Properties) -> bool:
    """Whether a workload's controller reports that the rollout of its present template is complete."""
    metadata, spec, status = (cast(Properties, workload.get(key) or {}) for key in ("metadata", "spec", "status"))
    if workload.get("kind") == "Job":
        return bool(status.get("succeeded"))
    if status.get("observedGeneration") != metadata.get("generation"):
        return False
    if workload.get("kind") == "DaemonSet":
        wants = status.get("desiredNumberScheduled")
        return wants == status.get("numberReady") and wants == (status.get("updatedNumberScheduled") or 0)
    wants = spec.get("replicas")
    counts: list[Plain] = [status.get(key) or 0 for key in ("replicas", "readyReplicas", "updatedReplicas")]
    return counts == [wants] * len(counts)


def unscheduled(pod: Properties) -> str | None:
    """The scheduler's message about a pod that it cannot place; None for any other pod."""
    for condition in at_path(pod, "status.conditions"):
        if isinstance(condition, dict) and (condition["type"], condition["status"]) == ("PodScheduled", "False"):
            return str(condition.get("message") or condition.get("reason"))
    return None


def _selector(workload: Properties) -> dict[str, str]:
    (labels,) = at_path(workload, "spec.selector.matchLabels")
    return cast(dict[str, str], labels)
