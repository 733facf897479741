"""What a pod asks of a node, as the scheduler reads it: which labels, which taints it bears, how much of what."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gpuplatform.proofs.capture.quantity import whole
from gpuplatform.standard import keys
from gpuplatform.standard.taints import Effect, Taint, Toleration


@dataclass(frozen=True, slots=True)
class Match:
    """One demand on a node's labels."""

    key: str
    operator: str
    """In, NotIn, Exists, DoesNotExist, Gt or Lt."""
    values: tuple[str, ...] = ()

    def accepts(self, value: str | None) -> bool:
        """Whether a node may have this value of the label; None where it lacks the label."""
        match self.operator:
            case "In":
                return value in self.values
            case "NotIn":
                return value not in self.values
            case "Exists":
                return value is not None
            case "DoesNotExist":
                return value is None
            case "Gt" | "Lt":
                return self._compares(value)
            case _:
                return False

    def _compares(self, value: str | None) -> bool:
        bound = whole(self.values[0]) if len(self.values) == 1 else None
        mine = whole(value) if value is not None else None
        if mine is None or bound is None:
            return False
        return mine > bound if self.operator == "Gt" else mine < bound

    def __str__(self) -> str:
        if self.operator == "In" and len(self.values) == 1:
            return f"{self.key}={self.values[0]}"
        return " ".join(filter(None, (self.key, self.operator, ", ".join(self.values))))


@dataclass(frozen=True, slots=True)
class PodAsk:
    """One pod's demands; hashable, so that the many alike pods of a cluster are judged once."""

    alternatives: tuple[tuple[Match, ...], ...] = ((),)
    """Node selector and required affinity together: one of these sets has to match whole. ``()``: nothing can match."""
    tolerations: tuple[Toleration, ...] = ()
    """One with an empty key tolerates every key."""
    cpu_millis: int = 0
    memory_mib: int = 0
    devices: tuple[tuple[str, int], ...] = ()
    """Extended resources of the whole pod: cards, slices, network interfaces."""
    largest_container: tuple[tuple[str, int], ...] = ()
    """Of each extended resource, the most that one container asks for."""
    claims: tuple[str, ...] = ()
    """Templates of the devices that the pod claims instead of counting them."""

    def most_in_one_container(self, resource: str) -> int:
        """The most of a resource that one container asks for."""
        return dict(self.largest_container).get(resource, 0)

    def admitted(self, key: str) -> frozenset[str] | None:
        """Every value of a label that the pod admits; None where some alternative leaves it open."""
        admitted: set[str] = set()
        for alternative in self.alternatives:
            lines = [set(each.values) for each in alternative if each.key == key and each.operator == "In"]
            if not lines:
                return None
            admitted |= {value for value in lines[0] if all(value in line for line in lines)}
        return frozenset(admitted)


def tolerates(tolerations: tuple[Toleration, ...], taint: Taint) -> bool:
    """Whether one of the tolerations answers the taint; a mere preference keeps nobody away."""
    return taint.effect is Effect.PREFER_NO_SCHEDULE or any(_answers(each, taint) for each in tolerations)


def _answers(toleration: Toleration, taint: Taint) -> bool:
    if toleration.key == "" and toleration.value is None:
        return toleration.effect in (None, taint.effect)
    return toleration.answers(taint)


def unmet(alternative: tuple[Match, ...], labels: Mapping[str, str]) -> tuple[Match, ...]:
    """The demands that a node with these labels does not meet; of labels that nobody can tell, none."""
    return tuple(
        each
        for each in alternative
        if not each.accepts(labels.get(each.key)) and (each.key in labels or each.key not in keys.UNTOLD)
    )
