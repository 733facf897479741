"""Every relative link of every page leads to an existing file and heading."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LINK = re.compile(r"\[[^\]]*\]\((?P<target>[^)\s]+)\)")
FENCE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"^#{1,6} (?P<text>.+)$", re.MULTILINE)
SKIPPED = {".venv", ".git", ".state", "node_modules"}


def pages() -> list[Path]:
    return sorted(path for path in ROOT.rglob("*.md") if not SKIPPED & set(path.relative_to(ROOT).parts))


def links(path: Path) -> Iterator[str]:
    for link in LINK.finditer(FENCE.sub("", path.read_text())):
        if not re.match(r"[a-z]+:", link["target"]):
            yield link["target"]


def anchors(path: Path) -> set[str]:
    """GitHub's fragments: lower case, no punctuation, hyphens for spaces, a number where one is taken."""
    fragments: set[str] = set()
    for heading in HEADING.finditer(FENCE.sub("", path.read_text())):
        text = LINK.sub(lambda link: link[0][1 : link[0].index("]")], heading["text"]).replace("`", "")
        slug = re.sub(r"[^\w\- ]", "", text.strip().lower()).replace(" ", "-")
        number = 0
        while (fragment := f"{slug}-{number}" if number else slug) in fragments:
            number += 1
        fragments.add(fragment)
    return fragments


def broken(page: Path) -> list[str]:
    wrong: list[str] = []
    for link in links(page):
        name, _, fragment = link.partition("#")
        target = (page.parent / name).resolve() if name else page
        there = target.exists() and target.is_relative_to(ROOT)
        if not there or (fragment and fragment not in anchors(target)):
            wrong.append(link)
    return wrong


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_relative_link_resolves(page: Path) -> None:
    assert broken(page) == []


def test_every_page_of_the_documentation_is_reached_from_the_readme() -> None:
    seen: set[Path] = set()
    waiting = [ROOT / "README.md"]
    while waiting:
        page = waiting.pop()
        if page in seen or page.suffix != ".md":
            continue
        seen.add(page)
        waiting += [(page.parent / link.partition("#")[0]).resolve() for link in links(page) if link[0] != "#"]
    assert [path for path in pages() if "docs" in path.relative_to(ROOT).parts and path not in seen] == []


def test_what_the_links_lead_to_is_part_of_the_repository() -> None:
    """A file that git ignores exists only on its author's machine."""
    targets = {(page.parent / link.partition("#")[0]).resolve() for page in pages() for link in links(page)}
    names = [target.relative_to(ROOT).as_posix() for target in targets if target != ROOT]
    ignored = subprocess.run(["git", "check-ignore", *names], cwd=ROOT, capture_output=True, text=True, check=False)
    assert ignored.stdout.splitlines() == []
