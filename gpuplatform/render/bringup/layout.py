"""The layout that a node's partition script reads: plain text, a line for each card that the pool may buy.

A line is a profile, its GPU instance profile id, how many of it, and the PCI device ids of the card, because the node
only knows the latter and the same profile name has another id and count on another card.
"""

from __future__ import annotations

from gpuplatform.catalog.cards import card
from gpuplatform.catalog.mig import geometry
from gpuplatform.settings.plan import mig_profile, units_per_card
from gpuplatform.settings.pools import Pool

_HEADER = "# profile profile-id instances-on-each-card device-ids"


def layout_text(pool: Pool) -> str:
    """The layout file of a MIG pool; cards that lack the profile, which the judges refuse, have no line."""
    return "\n".join([_HEADER, *_lines(pool), ""])


def _lines(pool: Pool) -> list[str]:
    wanted = mig_profile(pool)
    lines: dict[str, None] = {}
    for choice in pool.cards:
        known = card(choice.card)
        table = geometry(known.mig_table) if known and known.mig_table else None
        profile = table.profile(wanted) if table and wanted else None
        if known is None or table is None or profile is None:
            continue
        count = units_per_card(pool, known)
        lines[f"{profile.name} {profile.profile_id} {count} {','.join(table.device_ids)}"] = None
    return list(lines)
