"""Labels that must not change: of hardware on NodePools, of the standard on nodes, of the team on namespaces."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from gpuplatform.faults import Fault
from gpuplatform.standard import keys, labels
from policies.cel import Cel, every, literal
from policies.nodepool import LABELS_PATH
from policies.rule import ChangeRule, Severity
from policies.subject import NAMESPACE, NODE, NODE_POOL, Plain, Subject, Unknown, mapping_at, quoted, text

_FIXED = tuple(label.key for label in labels.STANDARD if label.level is not labels.Level.POLICY)
_STANDARD = tuple(label.key for label in labels.STANDARD)
_TENANT = (keys.TEAM, keys.PART_OF)


def _node_pool_changes(before: Subject, after: Subject) -> Iterable[Fault]:
    old, new = _labels(before, *LABELS_PATH.split(".")), _labels(after, *LABELS_PATH.split("."))
    change = "make a new pool under a new name, move the work, and remove this one"
    faults = _changes(old, new, _FIXED, LABELS_PATH, change)
    profile, config = labels.MIG_PROFILE.key, keys.MIG_CONFIG
    if old.get(profile) != new.get(profile) and old.get(config) == new.get(config) and config in old:
        faults.append(
            Fault(
                f"{LABELS_PATH}[{profile}]",
                f"{quoted(old.get(profile))} becomes {quoted(new.get(profile))}, and {config} stays {old[config]!r}",
                "a profile that changes together with the layout that makes it",
                f"set {config} to the layout of the new profile in the same change",
            )
        )
    return faults


def _node_changes(before: Subject, after: Subject) -> Iterable[Fault]:
    path = "metadata.labels"
    old, new = _labels(before, *path.split(".")), _labels(after, *path.split("."))
    return _changes(old, new, _STANDARD, path, "leave the label: a node cannot move to another pool")


def _namespace_changes(before: Subject, after: Subject) -> Iterable[Fault]:
    path = "metadata.labels"
    old, new = _labels(before, *path.split(".")), _labels(after, *path.split("."))
    return _changes(old, new, _TENANT, path, "leave the label: the stack's settings say which team owns a namespace")


def _labels(subject: Subject, *path: str) -> dict[str, str]:
    labels_at_path: Mapping[str, Plain] | Unknown = mapping_at(subject, *path)
    texts = {} if isinstance(labels_at_path, Unknown) else {key: text(value) for key, value in labels_at_path.items()}
    return {key: value for key, value in texts.items() if isinstance(value, str)}


def _changes(
    old: Mapping[str, str], new: Mapping[str, str], keys_of_rule: Iterable[str], path: str, change: str
) -> list[Fault]:
    """One fault for each fixed label that has changed or is missing."""
    return [
        Fault(f"{path}[{key}]", f"{old[key]!r} becomes {quoted(new.get(key))}", f"{old[key]!r}, as it was", change)
        for key in keys_of_rule
        if key in old and new.get(key) != old[key]
    ]


def _unchanged(keys_of_rule: Iterable[str]) -> str:
    return f"{literal(keys_of_rule)}.all(k, !(k in variables.was) || variables.labels[?k] == variables.was[?k])"


_PROFILE, _CONFIG = literal(labels.MIG_PROFILE.key), literal(keys.MIG_CONFIG)

GPU_LABELS_FIXED = ChangeRule(
    name="gpu-labels-fixed",
    description="A NodePool's labels of hardware, feature and role never change, its profile only with its layout.",
    severity=Severity.CRITICAL,
    remediation=f"Make a new pool for new labels; change {labels.MIG_PROFILE.key} and {keys.MIG_CONFIG} in one step.",
    kinds=(NODE_POOL,),
    judge=_node_pool_changes,
    admission=Cel(
        every(
            _unchanged(_FIXED),
            f"variables.labels[?{_PROFILE}] == variables.was[?{_PROFILE}] || !({_CONFIG} in variables.was)"
            f" || variables.labels[?{_CONFIG}] != variables.was[?{_CONFIG}]",
        )
    ),
)

NODE_LABELS_FIXED = ChangeRule(
    name="node-labels-fixed",
    description="No label of the standard changes on a running node.",
    severity=Severity.CRITICAL,
    remediation="Leave the label; change the pool's settings, and let drift replace the node.",
    kinds=(NODE,),
    judge=_node_changes,
    admission=Cel(_unchanged(_STANDARD)),
)

TENANT_LABELS_FIXED = ChangeRule(
    name="tenant-labels-fixed",
    description="A team's namespace stays that team's, and stays under the platform's rules.",
    severity=Severity.HIGH,
    remediation=f"Leave {' and '.join(_TENANT)}; change the stack's settings.",
    kinds=(NAMESPACE,),
    judge=_namespace_changes,
    admission=Cel(_unchanged(_TENANT)),
)

CHANGE_RULES: tuple[ChangeRule, ...] = (GPU_LABELS_FIXED, NODE_LABELS_FIXED, TENANT_LABELS_FIXED)
