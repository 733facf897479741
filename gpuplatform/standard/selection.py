"""How a pod names a pool: the selection set."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gpuplatform.standard import keys, labels
from gpuplatform.standard.markets import Market


@dataclass(frozen=True, slots=True)
class Selection:
    """The labels that a pod selects on. A field is None where the pool has several values of it."""

    purpose: labels.Purpose
    role: labels.Role
    mig_profile: str | None
    model: str | None
    memory: str | None
    market: Market | None

    def as_labels(self) -> dict[str, str]:
        """The selection as node labels, for a ``nodeSelector``."""
        node_labels = {
            labels.PURPOSE.key: self.purpose.value,
            labels.ROLE.key: self.role.value,
            labels.MIG.key: labels.MIG_ENABLED if self.mig_profile else labels.MIG_DISABLED,
        }
        if self.mig_profile:
            node_labels[labels.MIG_PROFILE.key] = labels.profile_value(self.mig_profile)
        if self.model:
            node_labels[labels.MODEL.key] = self.model
        if self.memory:
            node_labels[labels.MEMORY.key] = self.memory
        if self.market:
            node_labels[keys.CAPACITY_TYPE] = self.market.value
        return node_labels


def matches(selection: Mapping[str, str], node_labels: Mapping[str, str]) -> bool:
    """Whether a node with these labels matches the selection."""
    return all(node_labels.get(key) == value for key, value in selection.items())
