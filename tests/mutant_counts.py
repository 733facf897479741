"""The counts of mutants in one line: what a test records for each source, and the summary of a session adds up."""

from __future__ import annotations

from collections.abc import Mapping

MUTANTS = "mutants"
"""The property that a test records."""
OURS = "OURS"
_WORDS = {
    OURS: "by our rules",
    "SCHEMA": "by the provider's schema",
    "API_SERVER": "by the API server itself",
    "UPDATE": "deferred to the update, unknown at preview",
}
"""The words of the summary, by the name of the judge."""


def summary(counted: Mapping[str, int]) -> str:
    """``mutants: 12: 8 by our rules, …``."""
    return f"mutants: {sum(counted.values())}: " + ", ".join(
        f"{counted.get(key, 0)} {say}" for key, say in _WORDS.items()
    )
