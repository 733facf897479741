"""The demands of one pod, and Kubernetes quantities as exact numbers: ``500m``, ``1.5``, ``16Gi``, ``1e3``."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from gpuplatform.standard import keys
from gpuplatform.standard.taints import Taint, TaintEffect, Toleration

MAX_DIGITS = 100
"""The most digits on either side of the point. Kubernetes caps a quantity at 2**63; Python reads no number of
thousands of digits."""
_SOME = f"[0-9]{{1,{MAX_DIGITS}}}"
_WHOLE = re.compile(_SOME)
_QUANTITY = re.compile(
    rf"(?P<number>[+-]?({_SOME}(\.({_SOME})?)?|\.{_SOME}))"
    r"((?P<suffix>[numkMGTPE]|[KMGTPE]i)|[eE](?P<exponent>[+-]?[0-9]{1,2}))?"
)
_SUFFIXES = {
    "n": Fraction(1, 10**9),
    "u": Fraction(1, 10**6),
    "m": Fraction(1, 10**3),
    **{letter: Fraction(10 ** (3 * power)) for power, letter in enumerate("kMGTPE", 1)},
    **{f"{letter}i": Fraction(1024**power) for power, letter in enumerate("KMGTPE", 1)},
}
"""Suffixes of kubernetes/apimachinery pkg/api/resource (quantity.go)."""


def quantity(written: str) -> Fraction | None:
    """The number of a quantity; None where the text is not a quantity."""
    parts = _QUANTITY.fullmatch(written)
    if parts is None:
        return None
    number = Fraction(parts["number"])
    if parts["exponent"]:
        return number * Fraction(10) ** int(parts["exponent"])
    return number * _SUFFIXES.get(parts["suffix"] or "", Fraction(1))


def whole(written: str) -> int | None:
    """The number of plain digits; None for any other text."""
    return int(written) if _WHOLE.fullmatch(written) else None


def millis(amount: Fraction) -> int:
    """CPUs as thousandths of one, rounded up as the scheduler does."""
    return math.ceil(amount * 1000)


def mebibytes(amount: Fraction) -> int:
    """Bytes as MiB, rounded up."""
    return math.ceil(amount / 1024**2)


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
    """The demands of one pod; hashable, so that equal pods of a cluster are checked once."""

    alternatives: tuple[tuple[Match, ...], ...] = ((),)
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
        admitted: set[str] = set()
        for alternative in self.alternatives:
            lines = [set(match.values) for match in alternative if match.key == key and match.operator == "In"]
            if not lines:
                return None
            admitted |= {value for value in lines[0] if all(value in line for line in lines)}
        return frozenset(admitted)


def tolerates(tolerations: tuple[Toleration, ...], taint: Taint) -> bool:
    """Whether one of the tolerations matches the taint; PreferNoSchedule keeps no pod away."""
    return taint.effect is TaintEffect.PREFER_NO_SCHEDULE or any(
        _answers(toleration, taint) for toleration in tolerations
    )


def _answers(toleration: Toleration, taint: Taint) -> bool:
    if toleration.key == "" and toleration.value is None:
        return toleration.effect in (None, taint.effect)
    return toleration.answers(taint)


def unmet(alternative: tuple[Match, ...], labels: Mapping[str, str]) -> tuple[Match, ...]:
    """The demands that a node with these labels does not meet, without labels whose values are unknown in advance."""
    return tuple(
        match
        for match in alternative
        if not match.accepts(labels.get(match.key)) and (match.key in labels or match.key not in keys.UNTOLD)
    )
