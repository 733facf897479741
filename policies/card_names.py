"""The names under which cards, shares and slices are asked for and counted."""

from __future__ import annotations

from typing import Final

from gpuplatform.catalog.mig import geometries
from gpuplatform.standard import labels, resources
from policies.cel import literal

_NVIDIA_CARDS: Final = (resources.GPU, resources.MIG_PREFIX.removesuffix("-"))
"""What the name of every card resource begins with, also of those that nobody offers."""
CARD_NAME: Final = "(" + " || ".join(f"k.startsWith({literal(each)})" for each in _NVIDIA_CARDS) + ")"
"""The same in CEL, of a resource ``k``."""
_PROFILES = {labels.profile_value(each.name) for table in geometries().values() for each in table.profiles}
OFFERED_SOMEWHERE: Final = (resources.GPU, *sorted(map(resources.mig_resource, _PROFILES)))
"""Every name that nodes can offer: a whole card or a share of one, and a slice of each profile that some card has."""
NAMES_ALLOWED: Final = (
    f"{resources.GPU} for a whole card or a share, {resources.MIG_PREFIX}<profile> for a slice of a profile"
    " that some card has, such as 1g.10gb"
)


def names_cards(resource: str) -> bool:
    """Whether a resource is meant for cards, also under a name that nobody offers."""
    return resource.startswith(_NVIDIA_CARDS)
