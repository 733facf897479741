"""How a stand-in refuses, in the words of the service that it stands for."""

from __future__ import annotations


class RefusedError(Exception):
    """A request that the real service would refuse too; the message reaches the engine's own error line."""
