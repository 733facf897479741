"""The list of features is complete, every feature has a state, and the files that it names exist."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "features.md"

LAST = {"F": 9, "L": 9, "N": 28, "T": 5, "G": 16, "Q": 10, "M": 8, "W": 10, "E": 13, "B": 15}
UNUSED = {"N15", "G11"}
"""Numbers that no feature has."""
STATES = re.compile(r"^(done|partly: .+|not yet)$")
PLACE = re.compile(r"`((?:gpuplatform|components|policies|sandbox|cli|tests|examples|\.github)/[^`]*)`")


def rows() -> list[list[str]]:
    lines = [line for line in PAGE.read_text().splitlines() if re.match(r"^\| [A-Z]\d+ ", line)]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]


def test_every_feature_is_listed_once() -> None:
    expected = {f"{letter}{number}" for letter, last in LAST.items() for number in range(1, last + 1)} - UNUSED
    listed = [row[0] for row in rows()]
    assert sorted(listed) == sorted(expected)


def test_every_feature_has_a_state_in_the_words_of_the_page() -> None:
    assert [row for row in rows() if not STATES.match(row[-1])] == []


def test_what_is_there_says_where_and_what_is_not_says_nothing() -> None:
    assert [row for row in rows() if (row[2] == "-") != (row[-1] == "not yet")] == []


def test_every_place_exists() -> None:
    missing = [place for row in rows() for place in PLACE.findall(row[2]) if not (ROOT / place).exists()]
    assert missing == []
