"""The layout that a node's partition script reads: plain text, a line for each card that the pool may buy.

A line has a profile, its GPU instance profile id, the number of instances, and the PCI device ids of the card. The node
knows a card only by its device id, and the same profile has another id and number on another card.
"""

from __future__ import annotations

from gpuplatform.catalog.cards import card
from gpuplatform.plan.node_pools import mig_profile, units_per_card
from gpuplatform.settings.pools import Pool

_HEADER = "# profile profile-id instances-on-each-card device-ids"


def layout_text(pool: Pool) -> str:
    """The layout file of a MIG pool; a card without the profile, which the checks refuse, has no line."""
    return "\n".join([_HEADER, *_lines(pool), ""])


def _lines(pool: Pool) -> list[str]:
    profile_name = mig_profile(pool)
    lines: dict[str, None] = {}
    for choice in pool.cards:
        choice_card = card(choice.card)
        table = choice_card.geometry if choice_card else None
        profile = table.profile(profile_name) if table and profile_name else None
        if choice_card is None or table is None or profile is None:
            continue
        count = units_per_card(pool, choice_card)
        lines[f"{profile.name} {profile.profile_id} {count} {','.join(table.device_ids)}"] = None
    return list(lines)
