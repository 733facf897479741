"""Where earlier settings are: in a file, or in a git revision that is unpacked into a temporary folder.

A revision is unpacked by ``git archive``, not by ``git worktree add``: nothing is written into the repository, no hook
runs, and an interrupted command leaves no entry in ``git worktree list``.
"""

from __future__ import annotations

import io
import subprocess
import tarfile
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import click

from cli.stacks import PROJECT

PROGRAM = "gpuplatform"
"""The folder of a revision that holds its own code."""
COMPONENTS = ("components", "__main__.py")
"""The code that makes AWS resources; it needs the engine, so a description does not contain its results."""


@dataclass(frozen=True, slots=True)
class Source:
    """Earlier settings on disk."""

    name: str
    """As the reader gave it."""
    file: Path
    """The earlier stack file."""
    is_revision: bool
    tree: Path | None
    """The revision's own program; None for a file, and for a revision without one."""
    same_components: bool
    """Whether the revision makes AWS resources with the same code as the work tree."""
    note: str
    """A note about the source for the reader; empty if there is none."""


@contextmanager
def earlier_source(option: str, name: str, file: Path, environment: str | None) -> Generator[Source]:
    """The earlier settings that ``name`` means: a file of that name, else a revision of ``file``.

    Wrong usage (exit code 2) if it is neither. ``environment`` names the stack file to read if the revision has no file
    of that name.
    """
    path = Path(name)
    if path.is_file():
        note = f"{name} is a file, not a revision: the comparison assumes the same charts, add-ons and node images"
        yield Source(name, path, is_revision=False, tree=None, same_components=True, note=note)
        return
    repository = _repository(file)
    commit = repository and _commit(repository, name)
    if not repository or not commit:
        raise click.UsageError(
            f"{option} {name}: this is neither a file nor a git revision of {repository or file.parent}"
        )
    relative, note = _stack_file(option, name, repository, commit, file, environment)
    with tempfile.TemporaryDirectory(prefix="gpuplatform-was-") as folder:
        tree = Path(folder)
        yield Source(
            name,
            tree / relative,
            is_revision=True,
            tree=tree if _unpack(repository, commit, relative, tree) else None,
            same_components=_git(repository, "diff", "--quiet", commit, "--", *COMPONENTS) is not None,
            note=note,
        )


def _repository(file: Path) -> Path | None:
    """The repository that the file is in, else this one; None if there is no git."""
    for folder in (file.resolve().parent, PROJECT):
        top = _git(folder, "rev-parse", "--show-toplevel") if folder.is_dir() else None
        if top:
            return Path(top.decode().rstrip("\n"))
    return None


def _commit(repository: Path, name: str) -> str | None:
    commit_hash = _git(repository, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
    return commit_hash.decode().strip() if commit_hash else None


def _stack_file(
    option: str, name: str, repository: Path, commit: str, file: Path, environment: str | None
) -> tuple[str, str]:
    """The file's path in the repository, or the path of its environment's stack file, with a note about that."""
    path_of_file = file.resolve()
    paths = [path_of_file.relative_to(repository).as_posix()] if path_of_file.is_relative_to(repository) else []
    stack = f"Pulumi.{environment}.yaml" if environment else None
    for path in (*paths, *([stack] if stack else [])):
        if _git(repository, "cat-file", "-e", f"{commit}:{path}") is not None:
            return path, "" if path in paths else f"{name} has no {file.name}: its {path} is compared"
    names = " nor ".join(dict.fromkeys((*paths, *([stack] if stack else [])))) or file.name
    raise click.UsageError(f"{option} {name}: that revision has no {names}")


def _unpack(repository: Path, commit: str, stack_file: str, folder: Path) -> bool:
    """Unpack the revision's stack file and program into the folder; returns whether it has a program."""
    has_program = _git(repository, "cat-file", "-e", f"{commit}:{PROGRAM}/__init__.py") is not None
    paths = [stack_file, *([PROGRAM] if has_program else [])]
    process = subprocess.run(
        ["git", "-C", str(repository), "archive", "--format=tar", commit, "--", *paths],
        capture_output=True,
        check=True,
    )
    with tarfile.open(fileobj=io.BytesIO(process.stdout)) as archive:
        archive.extractall(folder, filter="data")
    return has_program


def _git(folder: Path, *arguments: str) -> bytes | None:
    """Git's output; None if it fails or is not installed."""
    try:
        process = subprocess.run(["git", "-C", str(folder), *arguments], capture_output=True, check=False)
    except FileNotFoundError:
        return None
    return process.stdout if process.returncode == 0 else None
