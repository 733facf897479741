"""What the GPU Operator has to know about shared cards: the MIG layouts and the device plugin's configurations.

Keys are named by their content and never redefined, because the operator does not watch the ConfigMaps: a running node
keeps what its key meant when it started. A change is a new key, and drift replaces the nodes that wear the old one.
"""

from __future__ import annotations

from collections.abc import Iterable

from gpuplatform.catalog.cards import Card
from gpuplatform.catalog.mig import MigGeometry, geometry
from gpuplatform.render.document import Document, a, as_yaml
from gpuplatform.settings.plan import PlannedNodePool, mig_profile
from gpuplatform.settings.pools import Pool, Sharing
from gpuplatform.standard import names, resources

OPERATOR_NAMESPACE = "gpu-operator"
MIG_CONFIG_MAP = "mig-layouts"
MIG_CONFIG_FILE = "config.yaml"
"""The key that the operator's MIG manager reads (NVIDIA/gpu-operator v26.7.0)."""
PLUGIN_CONFIG_MAP = "device-plugin-sharing"
ALL_DISABLED = "all-disabled"
"""The operator's own name for a card that is not partitioned, and its default."""


def mig_config_key(card: Card, profile: str | None) -> str:
    """The name of a card's layout: the card, the profile and how many; ``all-disabled`` without a profile."""
    if profile is None:
        return ALL_DISABLED
    return names.content_key((f"{card.name}", f"{profile}-x{_instances(card, profile)}"))


def plugin_config_key(pool: Pool) -> str | None:
    """The name of the device plugin's configuration for a pool's nodes, None where it needs none."""
    sharing = pool.sharing
    if not isinstance(sharing, Sharing) or sharing.shares_per_card is None:
        return None
    return f"{_method(sharing)}-x{sharing.shares_per_card}"


def mig_config_map(planned: Iterable[PlannedNodePool]) -> Document:
    """The layouts of every MIG pool, each bound to its card by device id, so that no other card can wear it."""
    configs: Document = {ALL_DISABLED: [{"devices": "all", "mig-enabled": False}]}
    for each in sorted(planned, key=lambda one: one.name):
        profile = mig_profile(each.pool)
        table = _table(each.card)
        if profile is None or table is None:
            continue
        configs[mig_config_key(each.card, profile)] = [
            {
                "device-filter": list(table.device_ids),
                "devices": "all",
                "mig-enabled": True,
                "mig-devices": {profile: _instances(each.card, profile)},
            }
        ]
    layouts: Document = {"version": "v1", "mig-configs": configs}
    return a("v1", "ConfigMap", MIG_CONFIG_MAP, OPERATOR_NAMESPACE, data={MIG_CONFIG_FILE: as_yaml(layouts)})


def plugin_config_map(pools: Iterable[Pool]) -> Document | None:
    """One key for each way of sharing in use, and no default: a node without the label shares nothing."""
    data: dict[str, str] = {}
    for pool in pools:
        key = plugin_config_key(pool)
        if key is not None and isinstance(pool.sharing, Sharing):
            data[key] = as_yaml(_plugin_config(pool.sharing))
    if not data:
        return None
    return a("v1", "ConfigMap", PLUGIN_CONFIG_MAP, OPERATOR_NAMESPACE, data=dict(sorted(data.items())))


def _plugin_config(sharing: Sharing) -> Document:
    shared: Document = {"resources": [{"name": resources.GPU, "replicas": sharing.shares_per_card}]}
    if sharing.mps is not None:
        return {"version": "v1", "sharing": {"mps": {**shared, "failRequestsGreaterThanOne": True}}}
    slicing: Document = {"renameByDefault": False, "failRequestsGreaterThanOne": True, **shared}
    return {"version": "v1", "sharing": {"timeSlicing": slicing}}


def _method(sharing: Sharing) -> str:
    return "mps" if sharing.mps is not None else "time-slicing"


def _table(card: Card) -> MigGeometry | None:
    return geometry(card.mig_table) if card.mig_table else None


def _instances(card: Card, profile: str) -> int:
    table = _table(card)
    known = table.profile(profile) if table else None
    return known.max_instances if known else 0
