"""The pods of charts and add-ons on the system nodes, and their requests."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from gpuplatform.analysis.workloads import Made
from gpuplatform.standard.quantities import mebibytes, millis, quantity
from gpuplatform.standard.sheets.sheet import MeantFor


@dataclass(frozen=True, slots=True)
class Controller:
    """Pods that are alike, and the requests of each of them."""

    name: str
    cpu_millis: int
    memory_mib: int
    replicas: int = 1
    """The number of pods; for a DaemonSet, the number on each node."""
    hosts_apart: bool = False
    """Whether two of them refuse to share a host."""
    is_spread: bool = False
    """Whether the numbers of pods on two hosts may differ by one at most."""

    def most_on_a_host(self, hosts: int) -> int:
        """The most of these pods that one of so many hosts may have."""
        if self.hosts_apart:
            return 1
        return math.ceil(self.replicas / hosts) if self.is_spread else self.replicas


@dataclass(frozen=True, slots=True)
class SystemPods:
    """All pods that run on the system nodes."""

    controllers: tuple[Controller, ...] = ()
    """Pods of the whole group: Deployments, StatefulSets, and hooks that run beside them."""
    daemons: tuple[Controller, ...] = ()
    """Pods of each node."""


def system_pods(workloads: Iterable[Made]) -> SystemPods:
    """The pods of workloads that are meant for the system nodes, or for every node."""
    standing = [workload for workload in workloads if not _runs_at_the_end(workload)]
    return SystemPods(
        tuple(_controller(workload) for workload in standing if workload.fact.place is MeantFor.SYSTEM),
        tuple(_controller(workload) for workload in standing if workload.fact.place is MeantFor.EVERY_NODE),
    )


def _runs_at_the_end(workload: Made) -> bool:
    """Whether it is a hook of a release's removal, beside which no other pod has to run."""
    hooks = workload.fact.hooks
    return bool(hooks) and all(hook.endswith("-delete") for hook in hooks)


def _controller(workload: Made) -> Controller:
    all_requests = [container.requests for container in workload.containers]
    return Controller(
        name=workload.fact.name,
        cpu_millis=sum(millis(_amount(requests.get("cpu"))) for requests in all_requests),
        memory_mib=sum(mebibytes(_amount(requests.get("memory"))) for requests in all_requests),
        replicas=workload.replicas,
        hosts_apart=workload.fact.hosts_apart,
        is_spread=bool(workload.spread),
    )


def _amount(text: str | None) -> Fraction:
    """The number of a request; ValueError where the platform's values or a fact sheet have no valid quantity."""
    if text is None:
        return Fraction(0)
    amount = quantity(text)
    if amount is None:
        raise ValueError(f"{text!r} is not a quantity")
    return amount
