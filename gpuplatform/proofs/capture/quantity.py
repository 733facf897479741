"""Kubernetes quantities as exact numbers: ``500m``, ``1.5``, ``16Gi``, ``1e3``."""

from __future__ import annotations

import math
import re
from fractions import Fraction

MAX_DIGITS = 100
"""On either side of the point. Kubernetes caps a quantity at 2**63; Python reads no number of thousands of digits."""
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
    """The number that a quantity stands for, None where it is no quantity."""
    found = _QUANTITY.fullmatch(written)
    if found is None:
        return None
    number = Fraction(found["number"])
    if found["exponent"]:
        return number * Fraction(10) ** int(found["exponent"])
    return number * _SUFFIXES.get(found["suffix"] or "", Fraction(1))


def whole(written: str) -> int | None:
    """The number that plain digits stand for, None where it is anything else."""
    return int(written) if _WHOLE.fullmatch(written) else None


def millis(amount: Fraction) -> int:
    """CPUs as thousandths of one, rounded up as the scheduler does."""
    return math.ceil(amount * 1000)


def mebibytes(amount: Fraction) -> int:
    """Bytes as MiB, rounded up."""
    return math.ceil(amount / 1024**2)
