from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox.tools.go import as_text, at_least, parse_version


@pytest.mark.parametrize(
    ("printed", "version"),
    [
        ("v3.259.0\n", (3, 259, 0)),
        ("3.272.1-alpha.2+dirty", (3, 272, 1)),
        ("go version go1.26 linux/amd64", (1, 26, 0)),
        ("", None),
        ("command not found", None),
    ],
)
def test_a_version_is_found_in_what_a_command_prints(printed: str, version: tuple[int, int, int] | None) -> None:
    assert parse_version(printed) == version


@pytest.mark.parametrize(
    ("printed", "enough"),
    [("v3.259.0", True), ("v3.1000.0", True), ("v4.0.0", True), ("v3.258.9", False), ("v2.999.0", False), ("", False)],
)
def test_versions_are_compared_by_number_and_not_by_letter(printed: str, enough: bool) -> None:
    assert at_least(printed, (3, 259, 0)) is enough


@given(st.tuples(*[st.integers(0, 9999)] * 3))
def test_a_version_survives_being_written_and_read(version: tuple[int, int, int]) -> None:
    assert parse_version(as_text(version)) == version
