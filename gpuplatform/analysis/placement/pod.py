"""The demands of one pod on a node: its labels, taints and resources."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gpuplatform.standard import keys
from gpuplatform.standard.requirements import POD_OPERATORS, Requirement
from gpuplatform.standard.taints import Taint, TaintEffect, Toleration


@dataclass(frozen=True, slots=True)
class PodAsk:
    """The demands of one pod; hashable, so that equal pods of a cluster are checked once."""

    alternatives: tuple[tuple[Requirement, ...], ...] = ((),)
    """Node selector and required affinity together: one of these sets must match entirely. ``()``: no node matches."""
    tolerations: tuple[Toleration, ...] = ()
    """One with an empty key tolerates every key."""
    cpu_millis: int = 0
    memory_mib: int = 0
    devices: tuple[tuple[str, int], ...] = ()
    """Extended resources of the whole pod: cards, slices, network interfaces."""
    largest_container: tuple[tuple[str, int], ...] = ()
    """The most that one container asks for of each extended resource."""
    claims: tuple[str, ...] = ()
    """Templates of the devices that the pod claims instead of requesting a number of them."""

    def most_in_one_container(self, resource: str) -> int:
        """The most of a resource that one container asks for."""
        return dict(self.largest_container).get(resource, 0)

    def admitted(self, key: str) -> frozenset[str] | None:
        """Every value of a label that the pod admits; None where some alternative admits any value."""
        values: set[str] = set()
        for alternative in self.alternatives:
            lines = [set(line.values) for line in alternative if line.key == key and line.operator == "In"]
            if not lines:
                return None
            values |= {value for value in lines[0] if all(value in line for line in lines)}
        return frozenset(values)


def tolerates(tolerations: tuple[Toleration, ...], taint: Taint) -> bool:
    """Whether one of the tolerations matches the taint; PreferNoSchedule keeps no pod away."""
    return taint.effect is TaintEffect.PREFER_NO_SCHEDULE or any(
        _answers(toleration, taint) for toleration in tolerations
    )


def _answers(toleration: Toleration, taint: Taint) -> bool:
    if toleration.key == "" and toleration.value is None:
        return toleration.effect in (None, taint.effect)
    return toleration.answers(taint)


def unmet(alternative: tuple[Requirement, ...], labels: Mapping[str, str]) -> tuple[Requirement, ...]:
    """The requirements that a node with these labels does not meet, without labels whose values are set at run time."""
    return tuple(
        requirement
        for requirement in alternative
        if not _meets(labels.get(requirement.key), requirement)
        and (requirement.key in labels or requirement.key not in keys.RUNTIME_LABELS)
    )


def _meets(value: str | None, requirement: Requirement) -> bool:
    """Whether a label's value meets a requirement of a pod, which may have fewer operators than a NodePool's."""
    return requirement.operator in POD_OPERATORS and requirement.accepts(value)
