"""Modules that a module keeps in folders of its own and publishes under another version: Kubernetes' staging."""

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
