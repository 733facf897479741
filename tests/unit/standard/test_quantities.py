from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuplatform.standard.quantities import mebibytes, millis, quantity, whole


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1", Fraction(1)),
        ("500m", Fraction(1, 2)),
        ("0.5", Fraction(1, 2)),
        (".5", Fraction(1, 2)),
        ("1.", Fraction(1)),
        ("2Gi", Fraction(2 * 1024**3)),
        ("2G", Fraction(2 * 10**9)),
        ("1e3", Fraction(1000)),
        ("1E", Fraction(10**18)),
        ("1E2", Fraction(100)),
        ("-1", Fraction(-1)),
        ("one", None),
        ("", None),
        ("1 Gi", None),
        (" 1Gi", None),
        ("1Gi\n", None),
        ("\u0661", None),
        ("1gi", None),
        ("1e999999999", None),
        ("9" * 5000, None),
        ("." + "9" * 5000, None),
    ],
)
def test_a_quantity_is_read_exactly(text: str, number: Fraction | None) -> None:
    assert quantity(text) == number


@given(st.integers(min_value=0, max_value=10**9))
def test_what_a_pod_asks_is_never_rounded_down(amount: int) -> None:
    assert millis(Fraction(amount, 10**6)) * 1000 >= amount
    assert mebibytes(Fraction(amount)) * 1024**2 >= amount
    assert millis(Fraction(amount)) == amount * 1000


def test_only_plain_digits_are_a_whole_number() -> None:
    assert whole("12") == 12
    assert [whole(text) for text in ("", "-1", "1.0", "1k", "\u0661", "9" * 5000)] == [None] * 6
