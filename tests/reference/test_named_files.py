"""Every file that a page for contributors names exists, so that the first file to open is there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = (
    ROOT / "CONTRIBUTING.md",
    ROOT / "docs" / "architecture.md",
    ROOT / "policies" / "README.md",
    *sorted((ROOT / "docs" / "decisions").glob("*.md")),
)
PLACE = re.compile(
    r"(?<![\w./<>-])(?P<place>(?:[\w.*<>-]+/)*(?:[\w*<>-]+\.(?:py|go|csv|yaml|toml|txt|json5)|[\w.*<>-]+/))(?![\w.*<>/-])"
)
"""A file by its ending, or a folder by the slash behind it."""
LINK = re.compile(r"\]\([^)]*\)")
SOMETHING = re.compile(r"<[^>]*>|\bNAME\b")
"""Stands for any name, as in ``Pulumi.<stack>.yaml``."""


def places(page: Path) -> Iterator[str]:
    """Files and folders that a page names outside its links, which have a test of their own."""
    for match in PLACE.finditer(LINK.sub("]", page.read_text(encoding="utf-8"))):
        yield SOMETHING.sub("*", match["place"])


def exists(place: str, page: Path) -> bool:
    """From the root, from the folder of the page, or from `gpuplatform/`, as the floors are drawn."""
    return any(any(base.glob(place)) for base in (ROOT, page.parent, ROOT / "gpuplatform"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_file_that_a_page_names_exists(page: Path) -> None:
    assert [place for place in places(page) if not exists(place, page)] == []


def test_the_page_for_contributors_answers_ten_questions_with_a_file() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    section = text.split("## Where to look first", 1)[1].split("\n## ", 1)[0]
    answers = [line.strip("| ").split(" | ")[1] for line in section.splitlines() if re.match(r"\| .*\? \|", line)]
    assert len(answers) == 10
    assert [answer for answer in answers if not PLACE.search(answer)] == []


def test_every_test_file_that_the_makefile_names_exists() -> None:
    named = re.findall(r"\btests/[\w./]+", (ROOT / "Makefile").read_text(encoding="utf-8"))
    assert named
    assert [place for place in named if not (ROOT / place).exists()] == []
