"""Quotas and MIG layouts: a quota counts what the stack's nodes offer, and a card can make every layout."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

import yaml

from gpuplatform.analysis.mig.file import judge as judge_layouts
from gpuplatform.faults import Fault, errors
from gpuplatform.nesting import MAX_DEPTH, too_deep_at_line
from gpuplatform.standard import keys, labels, resources
from policies.cel import PLATFORMS_OWN
from policies.nodepool import nodepool
from policies.rule import Rule, Severity, StackRule
from policies.sharing_configs import sharing_configs, units_per_card
from policies.subject import (
    CONFIG_MAP,
    NODE_GROUP,
    NODE_POOL,
    RESOURCE_QUOTA,
    UNKNOWN,
    Subject,
    Unknown,
    mapping_at,
    quoted,
    text,
)

_PREFIX = resources.quota_key("")
_LAYOUTS = "mig-configs"
"""The key of a mig-parted configuration under which its layouts are."""
_LAYOUTS_MEANT = re.compile(rf"""(^|[{{,])\s*["']?{_LAYOUTS}["']?\s*:""", re.MULTILINE)
"""How a text that is not valid YAML shows that it is meant as a configuration."""


def _quotas_without_pools(subjects: Sequence[Subject]) -> Iterable[tuple[Subject, Fault]]:
    offered = offered_resources(subjects)
    if offered is None:
        return []
    return [
        (subject, fault)
        for subject in subjects
        if subject.is_a(RESOURCE_QUOTA)
        for fault in _missing_resources(subject, offered)
    ]


def offered_resources(subjects: Sequence[Subject]) -> set[str] | None:
    """Every card resource that the nodes of a pool offer; None if that is not known yet, or without pools."""
    configs = sharing_configs(subjects)
    pools = [nodepool(subject) for subject in subjects if subject.is_a(NODE_POOL)]
    groups = [mapping_at(subject, "labels") for subject in subjects if subject.is_a(NODE_GROUP)]
    label_keys = (labels.VENDOR, labels.MIG, labels.MIG_PROFILE, keys.MIG_CONFIG, keys.DEVICE_PLUGIN_CONFIG)
    has_unknown = UNKNOWN in groups or any(pool.label(label) is UNKNOWN for pool in pools for label in label_keys)
    if not configs.complete or not pools or has_unknown:
        return None
    units = [units_per_card(pool, configs) for pool in pools if pool.is_gpu]
    offered = {resources.GPU if resource_and_count is None else resource_and_count[0] for resource_and_count in units}
    for group_labels in groups:
        if not isinstance(group_labels, Unknown) and labels.VENDOR.key in group_labels:
            profile = group_labels.get(labels.MIG_PROFILE.key)
            offered.add(resources.MIG_PREFIX + profile if isinstance(profile, str) else resources.GPU)
    return offered


def _missing_resources(quota: Subject, offered: set[str]) -> list[Fault]:
    hard = mapping_at(quota, "spec", "hard")
    if isinstance(hard, Unknown):
        return []
    allowed = f"resources that the stack's pools offer: {', '.join(sorted(offered)) or 'none'}"
    change = "name a resource that a pool offers, or add the pool"
    return [
        Fault(f"spec.hard[{key}]", quoted(amount), allowed, change)
        for key, amount in hard.items()
        if resources.is_card_resource(resource := key.removeprefix(_PREFIX))
        and resource not in offered
        and text(amount) not in ("0", UNKNOWN)
    ]


def _illegal_layouts(subject: Subject) -> Iterable[Fault]:
    data = mapping_at(subject, "data")
    if isinstance(data, Unknown):
        return []
    return [
        replace(fault, path=f"data[{key}].{fault.path}")
        for key, value in data.items()
        if isinstance(value, str) and _holds_layouts(value)
        for fault in _layout_faults(value)
    ]


def _layout_faults(text: str) -> list[Fault]:
    line = too_deep_at_line(text)
    if line is None:
        return errors(judge_layouts(text).faults)
    nesting = f"lists or mappings nested deeper than {MAX_DEPTH} levels at line {line}"
    return [Fault("configuration", nesting, "YAML, one document", "correct the file at this place")]


def _holds_layouts(config: str) -> bool:
    """Whether a text is a mig-parted configuration, however it is written: quoted, as JSON, or broken."""
    if _LAYOUTS not in config:
        return False
    if too_deep_at_line(config) is not None:
        return True
    try:
        node = yaml.compose(config, Loader=yaml.CSafeLoader)  # pyright: ignore[reportUnknownMemberType]
    except yaml.YAMLError:
        return _LAYOUTS_MEANT.search(config) is not None
    return isinstance(node, yaml.MappingNode) and any(key.value == _LAYOUTS for key, _ in node.value)


QUOTA_OFFERED = StackRule(
    name="quota-offered",
    description="A quota counts resources that some pool of the stack offers.",
    severity=Severity.HIGH,
    remediation="Name the resource as the pool's nodes offer it, or add the pool that does.",
    kinds=(NODE_POOL, NODE_GROUP, CONFIG_MAP, RESOURCE_QUOTA),
    judge=_quotas_without_pools,
)

MIG_LAYOUT_LEGAL = Rule(
    name="mig-layout-legal",
    description="Every MIG layout given to the operator is one that its card can make.",
    severity=Severity.CRITICAL,
    remediation="Ask `gpuplatform mig CARD PROFILE:N` what the card can make, and write that under a new key.",
    kinds=(CONFIG_MAP,),
    judge=_illegal_layouts,
    admission=PLATFORMS_OWN,
)

RULES = (MIG_LAYOUT_LEGAL,)
STACK_RULES = (QUOTA_OFFERED,)
