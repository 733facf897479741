"""How pods select nodes: with the standard's labels, one purpose, and tolerations for the taints of GPU nodes."""

from __future__ import annotations

from collections.abc import Iterable

from gpuplatform.analysis.placement.pod import tolerates
from gpuplatform.catalog.cards import cards
from gpuplatform.catalog.mig import geometries
from gpuplatform.faults import Fault
from gpuplatform.standard import aliases, keys, labels, taints
from gpuplatform.standard.requirements import Requirement
from gpuplatform.standard.taints import Taint, TaintEffect, Toleration
from policies.cel import Cel, every, literal, table
from policies.pod import Selector, alternatives, asks_for_cards, selectors, tolerations
from policies.rule import Rule, Severity
from policies.subject import Subject, Unknown
from policies.workloads import WORKLOAD_KINDS, PodTemplate, pod_templates

_DISCOVERY_PREFIXES = keys.FEATURE_DISCOVERY
_INSTRUCTIONS = keys.OPERANDS_PREFIX
_OF_INSTANCES = keys.INSTANCE_GPU_PREFIX
"""Karpenter's labels about cards: nodes that it did not make lack them."""
_PURPOSES = tuple(purpose.value for purpose in labels.Purpose)


def _discovery_selections(subject: Subject) -> Iterable[Fault]:
    return [
        Fault(
            selector.path,
            f"a selection on {selector.match}",
            "the standard's labels: feature discovery labels a node after its start, too late for the choice of a node,"
            " and it renames the product of a shared card",
            f"select on {labels.MODEL.key} and {labels.MEMORY.key}",
        )
        for pod in pod_templates(subject)
        for selector in selectors(pod)
        if selector.match.key.startswith(_DISCOVERY_PREFIXES) and not selector.match.key.startswith(_INSTRUCTIONS)
    ]


def _foreign_selections(subject: Subject) -> Iterable[Fault]:
    return [
        fault
        for pod in pod_templates(subject)
        for selector in selectors(pod)
        for fault in (*_alias_faults(selector), *_instance_faults(selector), *_label_faults(selector))
    ]


def _alias_faults(selector: Selector) -> list[Fault]:
    match = selector.match
    translations = [aliases.translated({match.key: value}) for value in match.values or ("",)]
    standard = {key: value for translation in translations for key, value in translation.items()}
    if match.key not in aliases.ALIAS_KEYS or not standard or not any(match.values):
        return []
    selection = " and ".join(key if value is None else f"{key}={value}" for key, value in standard.items())
    return [
        Fault(
            selector.path,
            f"a selection on {match}, a label of another vocabulary",
            f"the standard's label: {selection}",
            f"select on {selection}" + (" (operator Exists)" if None in standard.values() else ""),
        )
    ]


def _instance_faults(selector: Selector) -> list[Fault]:
    if not selector.match.key.startswith(_OF_INSTANCES):
        return []
    return [
        Fault(
            selector.path,
            f"a selection on {selector.match}, which only Karpenter's nodes have",
            f"the platform's labels: {labels.VENDOR.key} on every GPU node, {labels.MODEL.key}, {labels.MEMORY.key}",
            f"select on {labels.VENDOR.key} (operator Exists), or on the standard's label with the same meaning",
        )
    ]


def _label_faults(selector: Selector) -> list[Fault]:
    """A label under the standard's prefix that the standard lacks, or a value that it never has."""
    match = selector.match
    if not match.key.startswith(labels.PREFIX):
        return []
    standard_label = next((label for label in labels.STANDARD if label.key == match.key), None)
    if standard_label is None:
        standard_keys = ", ".join(label.key for label in labels.STANDARD)
        return [
            Fault(
                selector.path, f"a selection on {match}", f"the standard's labels: {standard_keys}", "use one of those"
            )
        ]
    values = _values(standard_label)
    invalid_values = [value for value in match.values if value not in values]
    if not invalid_values or match.operator not in ("In", "NotIn"):
        return []
    return [
        Fault(
            selector.path,
            f"a selection on {match}",
            f"a value of {match.key}: {', '.join(values)}",
            f"write one of those instead of {', '.join(map(repr, invalid_values))}",
        )
    ]


def _values(label: labels.Label) -> tuple[str, ...]:
    if label.values is not None:
        return label.values
    values_by_key: dict[str, Iterable[str]] = {
        labels.MODEL.key: (card.model for card in cards().values()),
        labels.MEMORY.key: (labels.memory_value(card.memory_gb) for card in cards().values()),
        labels.MIG_PROFILE.key: (
            labels.profile_value(profile.name) for geometry in geometries().values() for profile in geometry.profiles
        ),
    }
    return tuple(dict.fromkeys(values_by_key[label.key]))


def names_purpose(pod: PodTemplate) -> bool:
    """Whether every node that the pod admits is of one purpose of the standard's; true if it is not known yet."""
    terms = alternatives(pod)
    return isinstance(terms, Unknown) or all(len(_admitted_purposes(term)) == 1 for term in terms)


def _admitted_purposes(alternative: tuple[Requirement, ...]) -> set[str]:
    """The purposes that one alternative admits."""
    lines = [match for match in alternative if match.key == labels.PURPOSE.key and match.operator == "In"]
    return {value for value in _PURPOSES if all(value in line.values for line in lines)} if lines else set(_PURPOSES)


def _missing_purposes(subject: Subject) -> Iterable[Fault]:
    return [
        Fault(
            f"{pod.spec_path}.nodeSelector[{labels.PURPOSE.key}]",
            "no required selection of one purpose",
            f"{labels.PURPOSE.key} with one of {', '.join(_PURPOSES)}, in nodeSelector or in every required term",
            "paste the pool's block: `gpuplatform block --stack NAME --pool POOL`",
        )
        for pod in pod_templates(subject)
        if asks_for_cards(pod) and not names_purpose(pod)
    ]


def _missing_toleration_faults(subject: Subject) -> Iterable[Fault]:
    return [fault for pod in pod_templates(subject) if asks_for_cards(pod) for fault in missing_tolerations(pod)]


def missing_tolerations(pod: PodTemplate) -> list[Fault]:
    """One fault for each taint of the standard's that the pod's pool has and the pod does not tolerate."""
    pod_tolerations, terms = tolerations(pod), alternatives(pod)
    if isinstance(pod_tolerations, Unknown) or isinstance(terms, Unknown):
        return []
    matches = [
        match for alternative in terms for match in alternative if match.operator == "In" and len(match.values) == 1
    ]
    purposes = dict.fromkeys(match.values[0] for match in matches if match.key == labels.PURPOSE.key)
    pool_taints = [
        *((keys.GPU_TAINT, value) for value in taints.IN_CIRCULATION),
        (taints.DEDICATED_KEY, taints.DEDICATED_VALUE),
    ]
    pool_taints += [(labels.PURPOSE.key, purpose) for purpose in purposes if purpose in _PURPOSES]
    chief = labels.Role.CHIEF.value
    if any(match.key == labels.ROLE.key and match.values == (chief,) for match in matches):
        pool_taints.append((labels.ROLE.key, chief))
    missing_keys = dict.fromkeys(key for key, value in pool_taints if not is_tolerated(pod_tolerations, key, value))
    values = dict(pool_taints)
    return [_toleration_fault(pod, key, values[key]) for key in missing_keys]


def is_tolerated(pod_tolerations: tuple[Toleration, ...], key: str, value: str) -> bool:
    """Whether a toleration answers the taint: a stack may use NoSchedule or NoExecute, so either is enough."""
    return any(
        tolerates(pod_tolerations, Taint(key, value, effect))
        for effect in (TaintEffect.NO_SCHEDULE, TaintEffect.NO_EXECUTE)
    )


def _toleration_fault(pod: PodTemplate, key: str, value: str) -> Fault:
    has_any_value = key in (keys.GPU_TAINT, taints.DEDICATED_KEY)
    line = f"{{key: {key}, operator: Exists, effect: NoSchedule}}"
    if not has_any_value:
        line = f"{{key: {key}, operator: Equal, value: {value}, effect: NoSchedule}}"
    allowed = "a toleration of every taint that the standard puts on such nodes"
    if key == keys.GPU_TAINT:
        allowed += "; this taint has two values in use, so only Exists tolerates both"
    return Fault(f"{pod.spec_path}.tolerations[{key}]", f"no toleration of the taint {key}", allowed, f"add {line}")


_DISCOVERY_IN_CLUSTER = (
    "!variables.demands.exists(d, d.exists(e, ("
    + " || ".join(f"e.key.startsWith({literal(prefix)})" for prefix in _DISCOVERY_PREFIXES)
    + f") && !e.key.startsWith({literal(_INSTRUCTIONS)})))"
)
_VALUES = table({label.key: _values(label) for label in labels.STANDARD})
_ALIASES = literal(f"{key}={value}" for key, value in aliases.EXACT)
_STANDARD_IN_CLUSTER = (
    "variables.demands.all(d, d.all(e, "
    + every(
        f"!e.key.startsWith({literal(labels.PREFIX)}) || e.key in {_VALUES}"
        f' && (!(e.operator in ["In", "NotIn"]) || e.values.all(v, v in {_VALUES}[e.key]))',
        f"!e.key.startsWith({literal(_OF_INSTANCES)})",
        f'!(e.key in {literal(aliases.OPEN_KEYS)}) || e.?values.orValue([]).all(v, v == "")',
        f'!e.?values.orValue([]).exists(v, (e.key + "=" + v) in {_ALIASES})',
    )
    + "))"
)
_OF_PURPOSE = f'e.key == {literal(labels.PURPOSE.key)} && e.operator == "In"'
_PURPOSE_IN_CLUSTER = (
    f"!variables.asks || variables.alternatives.all(a, a.exists(e, {_OF_PURPOSE})"
    f" && {literal(_PURPOSES)}.filter(p, a.all(e, !({_OF_PURPOSE}) || p in e.values)).size() == 1)"
)


def is_tolerated_in_cluster(key: str, value: str) -> str:
    """Whether a toleration answers the taint in one of the effects that hold."""
    operator = 't.?operator.orValue("")'
    return (
        f'variables.tolerations.exists(t, t.?effect.orValue("") in ["", "NoSchedule", "NoExecute"]'
        f' && (t.?key.orValue("") == "" ? {operator} == "Exists"'
        f' : t.key == {literal(key)} && ({operator} == "Exists" || t.?value.orValue("") == {literal(value)})))'
    )


def _selects(key: str, value: str) -> str:
    requirement = f'e.key == {literal(key)} && e.operator == "In" && e.values == [{literal(value)}]'
    return f"variables.alternatives.exists(a, a.exists(e, {requirement}))"


_TOLERATES_IN_CLUSTER = "!variables.asks || " + every(
    *(is_tolerated_in_cluster(keys.GPU_TAINT, value) for value in taints.IN_CIRCULATION),
    is_tolerated_in_cluster(taints.DEDICATED_KEY, taints.DEDICATED_VALUE),
    *(
        f"!{_selects(key, value)} || {is_tolerated_in_cluster(key, value)}"
        for key, value in (
            *((labels.PURPOSE.key, purpose) for purpose in _PURPOSES),
            (labels.ROLE.key, labels.Role.CHIEF.value),
        )
    ),
)


POD_NO_DISCOVERED_LABELS = Rule(
    name="pod-no-discovered-labels",
    description="No pod selects on a label of NVIDIA's feature discovery, such as the product's name.",
    severity=Severity.HIGH,
    remediation=f"Select on {labels.MODEL.key} and {labels.MEMORY.key} instead of {keys.GPU_PRODUCT}.",
    kinds=WORKLOAD_KINDS,
    judge=_discovery_selections,
    admission=Cel(_DISCOVERY_IN_CLUSTER),
)

POD_STANDARD_LABELS = Rule(
    name="pod-standard-labels",
    description="A pod selects GPU nodes by the standard's labels and values, not by another vocabulary's.",
    severity=Severity.MEDIUM,
    remediation="Select on the label that the finding names; docs/guides/migrate-labels.md has the whole translation.",
    kinds=WORKLOAD_KINDS,
    judge=_foreign_selections,
    admission=Cel(_STANDARD_IN_CLUSTER),
)

POD_NAMES_PURPOSE = Rule(
    name="pod-names-purpose",
    description="A pod that asks for cards selects one purpose, so that it lands on no pool of another purpose.",
    severity=Severity.HIGH,
    remediation=f"Add {labels.PURPOSE.key} to nodeSelector, or paste the pool's block.",
    kinds=WORKLOAD_KINDS,
    judge=_missing_purposes,
    admission=Cel(_PURPOSE_IN_CLUSTER),
)

POD_TOLERATES_STANDARD = Rule(
    name="pod-tolerates-standard",
    description="A pod that asks for cards tolerates the standard's taints of the pool that it names.",
    severity=Severity.HIGH,
    remediation="Add the tolerations of the pool's block: `gpuplatform block --stack NAME --pool POOL`.",
    kinds=WORKLOAD_KINDS,
    judge=_missing_toleration_faults,
    admission=Cel(_TOLERATES_IN_CLUSTER),
)

RULES = (POD_NO_DISCOVERED_LABELS, POD_STANDARD_LABELS, POD_NAMES_PURPOSE, POD_TOLERATES_STANDARD)
