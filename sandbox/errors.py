"""The errors that end a command of the sandbox."""

from __future__ import annotations


class SandboxError(Exception):
    """One clear message for the user; the program ends with exit code 1 and no traceback."""


class RefusedError(SandboxError):
    """Requests that the real service would refuse too; the messages reach the engine's own error line."""

    def __init__(self, *messages: str) -> None:
        super().__init__("\n".join(messages))
        self.messages = messages
