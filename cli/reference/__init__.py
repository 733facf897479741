"""``gpuplatform docs``: the pages of ``docs/reference`` and ``docs/runbooks``, from the objects that they describe."""

from __future__ import annotations

import sys
from pathlib import Path

import click

FOLDER = Path("docs") / "reference"
RUNBOOKS = Path("docs") / "runbooks"
ROOT = Path(__file__).resolve().parents[2]
"""The repository, which holds the pages; the working directory does not matter."""


def pages() -> dict[str, str]:
    """Every generated page: path below the repository to text."""
    from cli.reference import catalog, labels, markets, monitoring, policies, runbooks, settings, versions  # noqa: PLC0415

    writers = {
        "catalog": catalog.page,
        "labels": labels.page,
        "markets": markets.page,
        "monitoring": monitoring.page,
        "policies": policies.page,
        "settings": settings.page,
        "versions": versions.page,
    }
    texts = {(FOLDER / f"{name}.md").as_posix(): page() for name, page in writers.items()}
    return texts | {(RUNBOOKS / name).as_posix(): text for name, text in runbooks.pages().items()}


def stale(root: Path = ROOT) -> list[str]:
    """Pages whose text differs from the generated text, and pages that are no longer generated."""
    texts = pages()
    paths_on_disk = {
        path.relative_to(root).as_posix() for folder in (FOLDER, RUNBOOKS) for path in (root / folder).glob("*.md")
    }
    stale_paths = [path for path, text in texts.items() if _text_of(root / path) != text]
    return sorted({*stale_paths, *(paths_on_disk - texts.keys())})


def write(root: Path = ROOT) -> list[str]:
    """Write the stale pages, remove those that are no longer generated, and return their paths."""
    stale_paths = stale(root)
    texts = pages()
    for folder in (FOLDER, RUNBOOKS):
        (root / folder).mkdir(parents=True, exist_ok=True)
    for path in stale_paths:
        if path in texts:
            (root / path).write_text(texts[path], encoding="utf-8")
        else:
            (root / path).unlink()
    return stale_paths


@click.command("docs")
@click.option("--check", "only_check", is_flag=True, help="Write nothing; exit 1 naming pages that are out of date.")
def docs(*, only_check: bool) -> None:
    """Write the generated pages of docs/reference.

    Exit code: 0 the pages are current, 1 some are not (with --check), 2 wrong usage.
    """
    if not only_check:
        for path in write():
            click.echo(f"wrote {path}")
        return
    stale_paths = stale()
    for path in stale_paths:
        click.echo(
            f"{path}: given a page that is out of date; allowed: the generated page. Change: run `make docs`",
            err=True,
        )
    sys.exit(1 if stale_paths else 0)


def _text_of(path: Path) -> str | None:
    return path.read_text(encoding="utf-8") if path.exists() else None
