"""How a stand-in says no: in the words and codes of what it stands in for."""

from __future__ import annotations


class RefusedError(Exception):
    """The account or the cluster refuses; the text is what the engine shows beside the resource."""
