"""Ways to guarantee more than the pools can have."""

from __future__ import annotations

from policies.rules.capacity import GUARANTEES_WITHIN_CAPACITY
from tests.policies.documents import GONE, Document, a_stack, but
from tests.policies.harness import Case, case

_LINES = ("platform", "capacity")


def _line(**changed: object) -> Document:
    """A stack with one line: nine cards guaranteed and a capacity of eight, unless changed."""
    claim = {"tenant": "serving", "namespace": "ml-serving", "amount": 9}
    line = {"resource": "nvidia.com/gpu", "pools": {"serve": 8}, "guaranteed": [claim], "allowed_ratio": 1.0}
    return but(a_stack(), *_LINES, [line | changed])


def _claim(tenant: str, amount: int, *pools: str) -> Document:
    return {"tenant": tenant, "namespace": f"ml-{tenant}", "amount": amount, "pools": list(pools)}


CASES: tuple[Case, ...] = (
    case(
        GUARANTEES_WITHIN_CAPACITY,
        "more guaranteed than there can be",
        _line(),
        "platform.capacity[0]",
        "9 nvidia.com/gpu guaranteed (serving 9 in ml-serving) with a capacity of 8 (pool serve 8)",
        "1.00 times",
        "lower a quota",
    ),
    case(GUARANTEES_WITHIN_CAPACITY, "a ratio that is not reached", _line(allowed_ratio=0.5), "0.50 times"),
    case(
        GUARANTEES_WITHIN_CAPACITY, "a ratio in words", _line(allowed_ratio="much"), "capacity[0]", "the allowed ratio"
    ),
    case(GUARANTEES_WITHIN_CAPACITY, "no pools", _line(pools={}), "units of every pool"),
    case(GUARANTEES_WITHIN_CAPACITY, "guarantees as a number", _line(guaranteed=9), "the guaranteed amounts"),
    case(GUARANTEES_WITHIN_CAPACITY, "units in words", _line(pools={"serve": "many"}), "all as numbers"),
    case(
        GUARANTEES_WITHIN_CAPACITY,
        "two teams on one pool, and a third pool that hides them in the sum",
        _line(
            pools={"single": 16, "train": 48},
            guaranteed=[
                _claim("red", 16, "single"),
                _claim("blue", 16, "single"),
                _claim("green", 8, "single", "train"),
            ],
        ),
        "32 nvidia.com/gpu guaranteed (red 16 in ml-red, blue 16 in ml-blue) with a capacity of 16 (pool single 16)",
    ),
    case(
        GUARANTEES_WITHIN_CAPACITY,
        "a guarantee of a pool of which nothing is said",
        _line(guaranteed=[_claim("red", 1, "elsewhere")]),
        "the units of every pool",
    ),
    case(
        GUARANTEES_WITHIN_CAPACITY,
        "no lines at all",
        but(a_stack(), *_LINES, GONE),
        "so that the guarantees can be checked",
    ),
)
