"""Reads the two ConfigMaps that configure how the GPU Operator shares cards."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import yaml

from gpuplatform.standard import keys, labels, resources
from gpuplatform.standard.quantities import whole
from policies.nodepool import NodePool
from policies.subject import CONFIG_MAP, UNKNOWN, Plain, Subject, Unknown, at, items, mapping, mapping_at, plain, text


@dataclass(frozen=True, slots=True)
class SharingConfigs:
    """What a node's instruction labels can name."""

    layouts: Mapping[str, Mapping[str, int] | None]
    """MIG layouts by key: slices of each profile on one card; None if it does not cut every card in the same way."""
    shares: Mapping[str, int | None]
    """Device plugin configurations by key: shares of one card; None if it shares none."""
    complete: bool
    """False if a ConfigMap's text is not known yet."""


def sharing_configs(subjects: Iterable[Subject]) -> SharingConfigs:
    """Every layout and configuration of the stack's ConfigMaps; text that is not YAML defines nothing."""
    layouts: dict[str, Mapping[str, int] | None] = {}
    shares: dict[str, int | None] = {}
    complete = True
    for subject in subjects:
        if not subject.is_a(CONFIG_MAP):
            continue
        data = mapping_at(subject, "data")
        if isinstance(data, Unknown) or UNKNOWN in data.values():
            complete = False
            continue
        for key, config_text in data.items():
            config = _config(config_text)
            mig_configs = mapping(at(config, "mig-configs"))
            if mig_configs is not UNKNOWN and mig_configs:
                layouts |= {name: _slices(items(entries)) for name, entries in mig_configs.items()}
            elif at(config, "sharing") is not None:
                shares[key] = _shares(at(config, "sharing"))
    return SharingConfigs(layouts, shares, complete)


def _config(value: Plain) -> Plain:
    return _load(value) if isinstance(value, str) else None


@functools.lru_cache(maxsize=64)
def _load(config_text: str) -> Plain:
    """Cached: a stack's rules read the same few texts many times, and do not change the result."""
    try:
        document: object = yaml.load(config_text, Loader=yaml.CSafeLoader)
    except (yaml.YAMLError, ValueError):  # such as a number of thousands of digits
        return None
    return plain(document)


def units_per_card(pool: NodePool, configs: SharingConfigs) -> tuple[str, int] | None:
    """The resource that a shared card offers and how many of it; None if cards are whole or nothing defines it."""
    profile, layout = pool.label(labels.MIG_PROFILE), pool.label(keys.MIG_CONFIG)
    if pool.is_partitioned and isinstance(profile, str) and isinstance(layout, str):
        slices: Mapping[str, int] = configs.layouts.get(layout) or {}
        counts = [count for name, count in slices.items() if labels.profile_value(name) == profile]
        return (resources.MIG_PREFIX + profile, counts[0]) if counts else None
    plugin_config = pool.label(keys.DEVICE_PLUGIN_CONFIG)
    shares = configs.shares.get(plugin_config) if isinstance(plugin_config, str) else None
    return (resources.GPU, shares) if shares else None


def _slices(entries: Sequence[Plain] | Unknown) -> Mapping[str, int] | None:
    """Slices on one card, if every entry cuts all of its cards in the same way."""
    if isinstance(entries, Unknown):
        return None
    entry_counts: list[dict[str, int]] = []
    for entry in entries:
        devices = mapping(at(entry, "mig-devices"))
        if at(entry, "devices") != "all" or at(entry, "mig-enabled") is not True or isinstance(devices, Unknown):
            return None
        counts = {profile: _count(amount) for profile, amount in devices.items()}
        entry_counts.append(counts)
    return entry_counts[0] if entry_counts and all(counts == entry_counts[0] for counts in entry_counts) else None


def _shares(sharing: Plain) -> int | None:
    for method in ("timeSlicing", "mps"):
        shared_resources = items(at(sharing, method, "resources"))
        if not isinstance(shared_resources, Unknown) and shared_resources:
            return _count(at(shared_resources[0], "replicas"))
    return None


def _count(value: Plain) -> int:
    amount = text(value)
    return whole(amount) or 0 if isinstance(amount, str) else 0
