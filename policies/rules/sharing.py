"""Sharing: a NodePool's labels agree with the slices or shares that the operator makes of its cards."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from gpuplatform.faults import Fault
from gpuplatform.standard import keys, labels, resources
from policies.cel import Cel, every, literal
from policies.nodepool import LABELS_PATH, LIMITS_PATH, NodePool, nodepool
from policies.rule import Rule, Severity, StackRule
from policies.sharing_configs import SharingConfigs, sharing_configs
from policies.subject import CONFIG_MAP, NODE_POOL, UNKNOWN, Plain, Subject, Unknown, at, mapping_at, quoted

_ALL_DISABLED = "all-disabled"
"""The operator's own layout for cards that are not cut (NVIDIA/gpu-operator v26.7.0)."""


def _mig_faults(subject: Subject) -> Iterable[Fault]:
    pool, limits = nodepool(subject), mapping_at(subject, "spec", "limits")
    config, profile = pool.label(keys.MIG_CONFIG), pool.label(labels.MIG_PROFILE)
    if UNKNOWN in (pool.label(labels.MIG), config, profile):
        return []
    ceiling_keys = [] if isinstance(limits, Unknown) or pool.is_static else list(limits)
    if not pool.is_partitioned:
        return _whole_card_faults(config, ceiling_keys)
    if not isinstance(profile, str):
        return []  # gpu-labels-complete asks for it
    faults = _layout_faults(config, profile)
    slices = resources.MIG_PREFIX + profile
    if not isinstance(limits, Unknown) and not pool.is_static and slices not in ceiling_keys:
        allowed = f"a ceiling in {slices}: whole cards are hidden from the autoscaler"
        faults.append(Fault(f"{LIMITS_PATH}[{slices}]", quoted(limits), allowed, f"write the ceiling as {slices}"))
    for key in ceiling_keys:
        if resources.is_card_resource(key) and key != slices:
            path, allowed = f"{LIMITS_PATH}[{key}]", f"only {slices}, the resource that the pool's nodes offer"
            faults.append(Fault(path, quoted(at(limits, key)), allowed, f"remove {key}"))
    if (plugin_config := pool.label(keys.DEVICE_PLUGIN_CONFIG)) is not None:
        path = f"{LABELS_PATH}[{keys.DEVICE_PLUGIN_CONFIG}]"
        faults.append(
            Fault(path, quoted(plugin_config), "one way of sharing a card", f"remove {keys.DEVICE_PLUGIN_CONFIG}")
        )
    return faults


def _whole_card_faults(config: Plain, ceiling_keys: Sequence[str]) -> list[Fault]:
    """A NodePool whose cards are not cut asks for no layout and counts no slices."""
    condition = f"while {labels.MIG.key} is not {labels.MIG_ENABLED}"
    faults: list[Fault] = []
    if config not in (None, _ALL_DISABLED):
        path = f"{LABELS_PATH}[{keys.MIG_CONFIG}]"
        change = f"set {keys.MIG_CONFIG} to {_ALL_DISABLED}, or label the pool as partitioned"
        faults.append(Fault(path, f"{quoted(config)} {condition}", f"{_ALL_DISABLED}, or no such label", change))
    for key in ceiling_keys:
        if key.startswith(resources.MIG_PREFIX):
            path, change = f"{LIMITS_PATH}[{key}]", f"count {resources.GPU} instead of {key}"
            faults.append(Fault(path, f"a ceiling in slices {condition}", resources.GPU, change))
    return faults


def _layout_faults(config: Plain, profile: str) -> list[Fault]:
    path = f"{LABELS_PATH}[{keys.MIG_CONFIG}]"
    if config in (None, _ALL_DISABLED):
        allowed = f"the layout that makes {profile} slices: without it the node offers none"
        return [Fault(path, quoted(config), allowed, f"add the label {keys.MIG_CONFIG} with the layout's key")]
    if isinstance(config, str) and not _contains_profile(config, profile):
        allowed = f"a layout named after its profile, {profile}"
        return [Fault(path, quoted(config), allowed, f"use the key of the layout that makes {profile}")]
    return []


def _contains_profile(key: str, profile: str) -> bool:
    """Whether a layout's key contains exactly that profile, and not the same with an attribute."""
    return re.search(rf"(?<![a-z0-9]){re.escape(profile)}(?!\.me|\.gfx|[a-z0-9])", key) is not None


def _undefined_configs(subjects: Sequence[Subject]) -> Iterable[tuple[Subject, Fault]]:
    configs = sharing_configs(subjects)
    if not configs.complete:
        return []
    node_pools = [(subject, nodepool(subject)) for subject in subjects if subject.is_a(NODE_POOL)]
    return [(node_pool, fault) for node_pool, pool in node_pools for fault in _config_faults(pool, configs)]


def _config_faults(pool: NodePool, configs: SharingConfigs) -> list[Fault]:
    faults: list[Fault] = []
    layout, profile = pool.label(keys.MIG_CONFIG), pool.label(labels.MIG_PROFILE)
    if isinstance(layout, str) and layout != _ALL_DISABLED:
        path, profiles = f"{LABELS_PATH}[{keys.MIG_CONFIG}]", configs.layouts.get(layout)
        if layout not in configs.layouts:
            names = ", ".join(sorted(configs.layouts)) or "none"
            faults.append(
                Fault(path, quoted(layout), f"one of the operator's layouts: {names}", "add the layout's key")
            )
        elif isinstance(profile, str) and [labels.profile_value(name) for name in profiles or {}] != [profile]:
            given = f"{quoted(layout)}, which makes {dict(profiles) if profiles else 'no slices on every card'}"
            allowed = f"a layout that cuts every card into {profile} and nothing else"
            faults.append(Fault(path, given, allowed, "correct the layout under a new key, or the label"))
    plugin_config = pool.label(keys.DEVICE_PLUGIN_CONFIG)
    if isinstance(plugin_config, str) and not configs.shares.get(plugin_config):
        names = ", ".join(sorted(configs.shares)) or "none"
        path = f"{LABELS_PATH}[{keys.DEVICE_PLUGIN_CONFIG}]"
        allowed = f"a configuration of the device plugin that shares cards: {names}"
        faults.append(Fault(path, quoted(plugin_config), allowed, "add the configuration's key, or correct the label"))
    return faults


_CONFIG = f'variables.labels[?{literal(keys.MIG_CONFIG)}].orValue("")'
_SLICES = f"({literal(resources.MIG_PREFIX)} + variables.profile)"
_CUT_IN_CLUSTER = every(
    # RE2 has no lookaround: the profile must be a separate word in the key, without an attribute after it.
    f"{_CONFIG}.matches("
    r'"(^|[^a-z0-9])" + variables.profile.replace(".", "[.]") + "($|[^a-z0-9.]|[.]($|[^a-z]))")',
    f"variables.static || {_SLICES} in variables.limits",
    f"variables.static || variables.limits.all(k, !(k == {literal(resources.GPU)}"
    f" || k.startsWith({literal(resources.MIG_PREFIX)})) || k == {_SLICES})",
    f"!({literal(keys.DEVICE_PLUGIN_CONFIG)} in variables.labels)",
)
_WHOLE_IN_CLUSTER = every(
    f'{_CONFIG} in ["", {literal(_ALL_DISABLED)}]',
    f"variables.static || !variables.limits.exists(k, k.startsWith({literal(resources.MIG_PREFIX)}))",
)


MIG_AGREES = Rule(
    name="mig-agrees",
    description="A NodePool's MIG labels, its layout and its ceiling speak of the same slices.",
    severity=Severity.CRITICAL,
    remediation="Where cards are cut: name the profile's layout and count its slices. Where not: ask for no layout.",
    kinds=(NODE_POOL,),
    judge=_mig_faults,
    admission=Cel(f'variables.partitioned ? variables.profile == "" || {_CUT_IN_CLUSTER} : {_WHOLE_IN_CLUSTER}'),
)

SHARING_CONFIG_EXISTS = StackRule(
    name="sharing-config-exists",
    description="The layout or sharing configuration that nodes ask for exists, and agrees with their labels.",
    severity=Severity.CRITICAL,
    remediation="Define the key in the operator's ConfigMap; a changed layout is a new key, never a redefined one.",
    kinds=(NODE_POOL, CONFIG_MAP),
    judge=_undefined_configs,
)

RULES = (MIG_AGREES,)
STACK_RULES = (SHARING_CONFIG_EXISTS,)
