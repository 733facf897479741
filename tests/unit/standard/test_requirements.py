from __future__ import annotations

import pytest

from gpuplatform.standard.requirements import Requirement


@pytest.mark.parametrize(
    ("requirement", "accepted", "refused"),
    [
        (Requirement("a", "In", ("x", "y")), ("x", "y"), ("z", None)),
        (Requirement("a", "NotIn", ("x",)), ("y", None), ("x",)),
        (Requirement("a", "Exists"), ("x", ""), (None,)),
        (Requirement("a", "DoesNotExist"), (None,), ("x",)),
        (Requirement("a", "Gt", ("3",)), ("4", "10"), ("3", "2", "x", None)),
        (Requirement("a", "Lt", ("3",)), ("2",), ("3", "10", None)),
        (Requirement("a", "Gte", ("3",)), ("3", "10"), ("2", "x", None)),
        (Requirement("a", "Lte", ("3",)), ("2", "3"), ("4", None)),
        (Requirement("a", "Gt", ("3", "4")), (), ("5",)),
        (Requirement("a", "Lt", ("many",)), (), ("1",)),
        (Requirement("a", "Like", ("x",)), (), ("x",)),
    ],
)
def test_operators_mean_what_the_scheduler_means(
    requirement: Requirement, accepted: tuple[str | None, ...], refused: tuple[str | None, ...]
) -> None:
    assert all(requirement.accepts(value) for value in accepted)
    assert not any(requirement.accepts(value) for value in refused)


@pytest.mark.parametrize(
    ("requirement", "text"),
    [
        (Requirement("a", "In", ("x",)), "a=x"),
        (Requirement("a", "In", ("x", "y")), "a In x, y"),
        (Requirement("a", "Exists"), "a Exists"),
    ],
)
def test_a_requirement_is_written_as_a_person_reads_it(requirement: Requirement, text: str) -> None:
    assert str(requirement) == text
