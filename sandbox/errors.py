"""The error that ends a command of the sandbox."""

from __future__ import annotations


class SandboxError(Exception):
    """One clear message for the user; the program ends with exit code 1 and no traceback."""
