"""Kubernetes quantities as exact numbers: ``500m``, ``1.5``, ``16Gi``, ``1e3``."""

from __future__ import annotations

import math
import re
from fractions import Fraction

MAX_DIGITS = 100
"""The most digits on either side of the point. Kubernetes caps a quantity at 2**63; Python reads no number of
thousands of digits."""
_DIGITS = f"[0-9]{{1,{MAX_DIGITS}}}"
_WHOLE = re.compile(_DIGITS)
_QUANTITY = re.compile(
    rf"(?P<number>[+-]?({_DIGITS}(\.({_DIGITS})?)?|\.{_DIGITS}))"
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


def quantity(text: str) -> Fraction | None:
    """The number of a quantity; None where the text is not a quantity."""
    parts = _QUANTITY.fullmatch(text)
    if parts is None:
        return None
    number = Fraction(parts["number"])
    if parts["exponent"]:
        return number * Fraction(10) ** int(parts["exponent"])
    return number * _SUFFIXES.get(parts["suffix"] or "", Fraction(1))


def whole(text: str) -> int | None:
    """The number of plain digits; None for any other text."""
    return int(text) if _WHOLE.fullmatch(text) else None


def millis(amount: Fraction) -> int:
    """CPUs as thousandths of one, rounded up as the scheduler does."""
    return math.ceil(amount * 1000)


def mebibytes(amount: Fraction) -> int:
    """Bytes as MiB, rounded up."""
    return math.ceil(amount / 1024**2)
