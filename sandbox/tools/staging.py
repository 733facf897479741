"""What a module brings for its own build: folders it publishes under another version, and checksums."""

from __future__ import annotations

import re
from pathlib import Path

from sandbox.tools.go import Go

_STAGED = re.compile(r"^\s*(?:replace\s+)?(\S+)\s+=>\s+\./staging/", re.MULTILINE)


def staged_modules(go_mod: str) -> tuple[str, ...]:
    """The modules that the text of a ``go.mod`` replaces by its own ``./staging/`` folders."""
    return tuple(_STAGED.findall(go_mod))


def replacements(modules: tuple[str, ...], version: str) -> list[str]:
    """Flags of ``go mod edit`` that take each module as it is published."""
    return [f"-replace={module}={module}@{version}" for module in modules]


def go_mod_of(go: Go, module: str, version: str, cwd: Path) -> str:
    """The text of a downloaded module's ``go.mod``; empty where it has not been downloaded."""
    path = go.of_module("GoMod", f"{module}@{version}", cwd)
    return path.read_text(encoding="utf-8") if path else ""


def go_sum_of(go: Go, module: str, version: str, cwd: Path) -> str:
    """The text of a downloaded module's ``go.sum``; empty where it has none."""
    folder = go.of_module("Dir", f"{module}@{version}", cwd)
    sums = folder / "go.sum" if folder else None
    return sums.read_text(encoding="utf-8") if sums and sums.exists() else ""
