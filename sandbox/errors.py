"""How the sandbox says that it cannot go on."""

from __future__ import annotations


class SandboxError(Exception):
    """One clear message for the user; the program ends with exit code 1 and no traceback."""
