"""What stands on the system nodes and asks for a part of them: charts' and add-ons' workloads as made."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from gpuplatform.proofs.capture.quantity import mebibytes, millis, quantity
from gpuplatform.proofs.workloads import Made
from gpuplatform.standard.sheets.sheet import Place


@dataclass(frozen=True, slots=True)
class Controller:
    """Pods that are alike, and what each of them asks for."""

    name: str
    cpu_millis: int
    memory_mib: int
    replicas: int = 1
    """For a DaemonSet, pods on each node."""
    hosts_apart: bool = False
    """Whether two of them refuse to share a host."""
    is_spread: bool = False
    """Whether no host may have more than one above another."""

    def most_on_a_host(self, hosts: int) -> int:
        """How many of them one of so many hosts may have."""
        if self.hosts_apart:
            return 1
        return math.ceil(self.replicas / hosts) if self.is_spread else self.replicas


@dataclass(frozen=True, slots=True)
class SystemPods:
    """All that stands on the system nodes."""

    controllers: tuple[Controller, ...] = ()
    """Pods of the whole group: Deployments, StatefulSets, and hooks that run while the rest stands."""
    daemons: tuple[Controller, ...] = ()
    """Pods of each node."""


def system_pods(workloads: Iterable[Made]) -> SystemPods:
    """The workloads that are meant for the system nodes, or for every node."""
    standing = [workload for workload in workloads if not _runs_at_the_end(workload)]
    return SystemPods(
        tuple(_controller(workload) for workload in standing if workload.fact.place is Place.SYSTEM),
        tuple(_controller(workload) for workload in standing if workload.fact.place is Place.EVERY_NODE),
    )


def _runs_at_the_end(workload: Made) -> bool:
    """Whether it is a hook of a release that goes, beside which nothing else has to stand."""
    hooks = workload.fact.hooks
    return bool(hooks) and all(hook.endswith("-delete") for hook in hooks)


def _controller(workload: Made) -> Controller:
    asked = [container.requests for container in workload.containers]
    return Controller(
        name=workload.fact.name,
        cpu_millis=sum(millis(_amount(requests.get("cpu"))) for requests in asked),
        memory_mib=sum(mebibytes(_amount(requests.get("memory"))) for requests in asked),
        replicas=workload.replicas,
        hosts_apart=workload.fact.hosts_apart,
        is_spread=bool(workload.spread),
    )


def _amount(written: str | None) -> Fraction:
    """The number that a request stands for; ValueError where our own values or a sheet are no quantity."""
    if written is None:
        return Fraction(0)
    amount = quantity(written)
    if amount is None:
        raise ValueError(f"{written!r} is not a quantity")
    return amount
