"""The GPU Operator's ConfigMaps for shared cards: MIG layouts, and configurations of the device plugin.

A key is named by its content and never redefined, because the operator does not watch the ConfigMaps: a running node
keeps the configuration that its key had when the node started. A change makes a new key, and drift replaces the nodes
that use the old one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from gpuplatform.catalog.cards import Card, card
from gpuplatform.plan.node_pools import PlannedNodePool, mig_profile
from gpuplatform.render.document import Document, as_yaml, kubernetes_object
from gpuplatform.settings.pools import EarlierSharing, Pool, Sharing
from gpuplatform.standard import keys, names, resources

OPERATOR_NAMESPACE = "gpu-operator"
MIG_CONFIG_MAP = "mig-layouts"
MIG_CONFIG_FILE = "config.yaml"
"""The key that the operator's MIG manager reads (NVIDIA/gpu-operator v26.7.0)."""
PLUGIN_CONFIG_MAP = "device-plugin-sharing"
ALL_DISABLED = "all-disabled"
"""The operator's name for the layout of a card that is not partitioned, and its default."""


def mig_config_key(of: Card, profile: str | None) -> str:
    """The name of a card's layout: card, profile and number of slices; ``all-disabled`` without a profile."""
    if profile is None:
        return ALL_DISABLED
    return names.content_key((of.name, f"{profile}-x{_instances(of, profile)}"))


def plugin_config_key(sharing: Sharing | str) -> str | None:
    """The name of the device plugin's configuration for a way of sharing, None where it needs none."""
    if not isinstance(sharing, Sharing) or sharing.shares_per_card is None:
        return None
    return f"{_method(sharing)}-x{sharing.shares_per_card}"


def mig_config_map(planned: Iterable[PlannedNodePool], earlier: Iterable[EarlierSharing]) -> Document:
    """The layouts of every MIG pool, each bound to its card by device id, so that it applies to no other card.

    Earlier layouts that running nodes may still use stay beside them, unchanged.
    """
    configs: Document = {ALL_DISABLED: [{"devices": "all", "mig-enabled": False}]}
    for name, profile in _layouts(planned, earlier):
        pool_card = card(name)
        table = pool_card.geometry if pool_card else None
        if pool_card is None or table is None:
            continue
        configs[mig_config_key(pool_card, profile)] = [
            {
                "device-filter": list(table.device_ids),
                "devices": "all",
                "mig-enabled": True,
                "mig-devices": {profile: _instances(pool_card, profile)},
            }
        ]
    layouts: Document = {"version": "v1", "mig-configs": configs}
    return kubernetes_object(
        "v1", "ConfigMap", MIG_CONFIG_MAP, OPERATOR_NAMESPACE, data={MIG_CONFIG_FILE: as_yaml(layouts)}
    )


def plugin_config_map(pools: Iterable[Pool], earlier: Iterable[EarlierSharing]) -> Document:
    """One key for each way of sharing that a node may use, and no default: a node without the label shares nothing.

    The ConfigMap exists even when it is empty, so that its name in the operator's configuration never changes: a new
    name would restart the operator's pods on every node.
    """
    keyed = {key: way for way in _ways(pools, earlier) if (key := plugin_config_key(way))}
    data = {key: as_yaml(_plugin_config(way)) for key, way in sorted(keyed.items())}
    return kubernetes_object("v1", "ConfigMap", PLUGIN_CONFIG_MAP, OPERATOR_NAMESPACE, data=data)


def config_keys(
    planned: Iterable[PlannedNodePool], pools: Iterable[Pool], earlier: Iterable[EarlierSharing]
) -> frozenset[str]:
    """Every key that the two ConfigMaps define."""
    keys_of_plugin = {key for way in _ways(pools, earlier) if (key := plugin_config_key(way))}
    layouts = {
        mig_config_key(pool_card, profile) for name, profile in _layouts(planned, earlier) if (pool_card := card(name))
    }
    return frozenset({ALL_DISABLED, *keys_of_plugin, *layouts})


def config_keys_of(labels: Mapping[str, str]) -> frozenset[str]:
    """The keys of the configurations that a node with these labels uses."""
    return frozenset(labels[key] for key in (keys.MIG_CONFIG, keys.DEVICE_PLUGIN_CONFIG) if key in labels)


def _layouts(planned: Iterable[PlannedNodePool], earlier: Iterable[EarlierSharing]) -> list[tuple[str, str]]:
    """(card, profile) of every layout that a node may use, in order."""
    planned_layouts = {
        (node_pool.card.name, profile) for node_pool in planned if (profile := mig_profile(node_pool.pool))
    }
    return sorted(
        planned_layouts
        | {
            (earlier_sharing.card, earlier_sharing.sharing.mig)
            for earlier_sharing in earlier
            if earlier_sharing.sharing.mig
        }
    )


def _ways(pools: Iterable[Pool], earlier: Iterable[EarlierSharing]) -> list[Sharing]:
    """Every way of sharing that a node may use."""
    every = [*(pool.sharing for pool in pools), *(earlier_sharing.sharing for earlier_sharing in earlier)]
    return [way for way in every if isinstance(way, Sharing)]


def _plugin_config(sharing: Sharing) -> Document:
    shared: Document = {"resources": [{"name": resources.GPU, "replicas": sharing.shares_per_card}]}
    if sharing.mps is not None:
        return {"version": "v1", "sharing": {"mps": {**shared, "failRequestsGreaterThanOne": True}}}
    slicing: Document = {"renameByDefault": False, "failRequestsGreaterThanOne": True, **shared}
    return {"version": "v1", "sharing": {"timeSlicing": slicing}}


def _method(sharing: Sharing) -> str:
    return "mps" if sharing.mps is not None else "time-slicing"


def _instances(of: Card, profile: str) -> int:
    table = of.geometry
    mig = table.profile(profile) if table else None
    return mig.max_instances if mig else 0
