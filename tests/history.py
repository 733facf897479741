"""A git history of the program for tests: made in a temporary folder, because a clone for CI is shallow."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from tests.builders import ROOT

STACK = "Pulumi.dev.yaml"


class History:
    """A repository with the program and one stack file in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.stack = folder / STACK
        shutil.copytree(ROOT / "gpuplatform", folder / "gpuplatform", ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(ROOT / STACK, self.stack)
        self._git("init", "-q")
        self.commit()

    def edit(self, path: str, *edits: tuple[str, str]) -> None:
        """Replace text in a file of the work tree."""
        file = self.folder / path
        text = file.read_text(encoding="utf-8")
        for old, new in edits:
            assert old in text, old
            text = text.replace(old, new)
        file.write_text(text, encoding="utf-8")

    def commit(self) -> None:
        """Make what stands in the work tree a revision."""
        self._git("add", "-A")
        self._git("-c", "user.name=a", "-c", "user.email=a@b.example", "commit", "-qm", "a change")

    def worktrees(self) -> int:
        """How many the repository knows."""
        return len(self._git("worktree", "list").splitlines())

    def _git(self, *arguments: str) -> str:
        command = ["git", "-C", str(self.folder), *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout
