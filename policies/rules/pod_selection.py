"""How pods choose nodes: by the standard's labels, naming a purpose, tolerating what GPU nodes carry (T3, L8)."""

from __future__ import annotations

from collections.abc import Iterable

from gpuplatform.catalog.cards import cards
from gpuplatform.catalog.mig import geometries
from gpuplatform.faults import Fault
from gpuplatform.proofs.capture.pod import Match, tolerates
from gpuplatform.standard import aliases, keys, labels, taints
from gpuplatform.standard.taints import Effect, Taint, Toleration
from policies.cel import Cel, every, literal, table
from policies.pod import Selector, alternatives, asks_for_cards, selectors, tolerations
from policies.rule import Rule, Severity
from policies.subject import Subject, Unknown
from policies.workloads import WORKLOAD_KINDS, PodTemplate, pod_templates

_DISCOVERED = (keys.FEATURE_DISCOVERY_PREFIX, "nvidia.com/cuda.", "nvidia.com/mig.capable", "nvidia.com/mig.strategy")
"""What GPU Feature Discovery writes once a node is up (NVIDIA/k8s-device-plugin v0.20.0 docs/gpu-feature-discovery)."""
_INSTRUCTIONS = "nvidia.com/gpu.deploy."
"""Under the same prefix: how the operator tells its operands where to run."""
_OF_INSTANCES = keys.INSTANCE_GPU_COUNT.removesuffix("count")
"""Karpenter's labels about cards: nodes that it did not make lack them."""
_PURPOSES = tuple(each.value for each in labels.Purpose)


def _discovered(subject: Subject) -> Iterable[Fault]:
    return [
        Fault(
            each.path,
            f"a selection on {each.match}",
            "the standard's labels: feature discovery writes its own when a node is up, which is too late to start one,"
            " and renames a shared card's product",
            f"select on {labels.MODEL.key} and {labels.MEMORY.key}",
        )
        for pod in pod_templates(subject)
        for each in selectors(pod)
        if each.match.key.startswith(_DISCOVERED) and not each.match.key.startswith(_INSTRUCTIONS)
    ]


def _standard(subject: Subject) -> Iterable[Fault]:
    return [
        fault
        for pod in pod_templates(subject)
        for each in selectors(pod)
        for fault in (*_alias(each), *_of_instance(each), *_stray(each))
    ]


def _alias(selector: Selector) -> list[Fault]:
    match = selector.match
    said = [aliases.translated({match.key: value}) for value in match.values or ("",)]
    standard = {key: value for each in said for key, value in each.items()}
    if match.key not in aliases.ALIAS_KEYS or not standard or not any(match.values):
        return []
    wanted = " and ".join(key if value is None else f"{key}={value}" for key, value in standard.items())
    return [
        Fault(
            selector.path,
            f"a selection on {match}, of another vocabulary",
            f"the standard's word for it: {wanted}",
            f"select on {wanted}" + (" (operator Exists)" if None in standard.values() else ""),
        )
    ]


def _of_instance(selector: Selector) -> list[Fault]:
    if not selector.match.key.startswith(_OF_INSTANCES):
        return []
    return [
        Fault(
            selector.path,
            f"a selection on {selector.match}, which only Karpenter's nodes have",
            f"the platform's labels: {labels.VENDOR.key} on every GPU node, {labels.MODEL.key}, {labels.MEMORY.key}",
            f"select on {labels.VENDOR.key} (operator Exists), or on the label that says the same",
        )
    ]


def _stray(selector: Selector) -> list[Fault]:
    """A label under the standard's prefix that the standard lacks, or a value that it never has."""
    match = selector.match
    if not match.key.startswith(labels.PREFIX):
        return []
    known = next((each for each in labels.STANDARD if each.key == match.key), None)
    if known is None:
        every = ", ".join(each.key for each in labels.STANDARD)
        return [Fault(selector.path, f"a selection on {match}", f"the standard's labels: {every}", "use one of those")]
    values = _values(known)
    wrong = [value for value in match.values if value not in values]
    if not wrong or match.operator not in ("In", "NotIn"):
        return []
    return [
        Fault(
            selector.path,
            f"a selection on {match}",
            f"a value of {match.key}: {', '.join(values)}",
            f"write one of those instead of {', '.join(map(repr, wrong))}",
        )
    ]


def _values(label: labels.Label) -> tuple[str, ...]:
    if label.values is not None:
        return label.values
    every: dict[str, Iterable[str]] = {
        labels.MODEL.key: (each.model for each in cards().values()),
        labels.MEMORY.key: (labels.memory_value(each.memory_gb) for each in cards().values()),
        labels.MIG_PROFILE.key: (
            labels.profile_value(profile.name) for table in geometries().values() for profile in table.profiles
        ),
    }
    return tuple(dict.fromkeys(every[label.key]))


def names_purpose(pod: PodTemplate) -> bool:
    """Whether every node that the pod admits is of one purpose of the standard's; true where it is not known yet."""
    wanted = alternatives(pod)
    return isinstance(wanted, Unknown) or all(len(_named(each)) == 1 for each in wanted)


def _named(alternative: tuple[Match, ...]) -> set[str]:
    """The purposes that one alternative admits."""
    lines = [each for each in alternative if each.key == labels.PURPOSE.key and each.operator == "In"]
    return {value for value in _PURPOSES if all(value in line.values for line in lines)} if lines else set(_PURPOSES)


def _purpose(subject: Subject) -> Iterable[Fault]:
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


def _tolerates(subject: Subject) -> Iterable[Fault]:
    return [fault for pod in pod_templates(subject) if asks_for_cards(pod) for fault in missing_tolerations(pod)]


def missing_tolerations(pod: PodTemplate) -> list[Fault]:
    """One fault for each taint of the standard's that the pod's pool has and the pod does not tolerate."""
    given, wanted = tolerations(pod), alternatives(pod)
    if isinstance(given, Unknown) or isinstance(wanted, Unknown):
        return []
    matches = [
        each for alternative in wanted for each in alternative if each.operator == "In" and len(each.values) == 1
    ]
    purposes = dict.fromkeys(each.values[0] for each in matches if each.key == labels.PURPOSE.key)
    carried = [
        *((keys.GPU_TAINT, each) for each in taints.IN_CIRCULATION),
        (taints.DEDICATED_KEY, taints.DEDICATED_VALUE),
    ]
    carried += [(labels.PURPOSE.key, each) for each in purposes if each in _PURPOSES]
    chief = labels.Role.CHIEF.value
    if any(each.key == labels.ROLE.key and each.values == (chief,) for each in matches):
        carried.append((labels.ROLE.key, chief))
    missing = dict.fromkeys(key for key, value in carried if not answered(given, key, value))
    values = dict(carried)
    return [_missing(pod, key, values[key]) for key in missing]


def answered(given: tuple[Toleration, ...], key: str, value: str) -> bool:
    """A stack may choose to evict as well, so a toleration of either effect that holds is one."""
    return any(tolerates(given, Taint(key, value, effect)) for effect in (Effect.NO_SCHEDULE, Effect.NO_EXECUTE))


def _missing(pod: PodTemplate, key: str, value: str) -> Fault:
    any_value = key in (keys.GPU_TAINT, taints.DEDICATED_KEY)
    line = f"{{key: {key}, operator: Exists, effect: NoSchedule}}"
    if not any_value:
        line = f"{{key: {key}, operator: Equal, value: {value}, effect: NoSchedule}}"
    allowed = "a toleration of every taint that the standard puts on such nodes"
    if key == keys.GPU_TAINT:
        allowed += "; this one has two values in circulation, so only Exists answers both"
    return Fault(f"{pod.spec_path}.tolerations[{key}]", f"no toleration that answers {key}", allowed, f"add {line}")


_DISCOVERED_IN_CLUSTER = (
    "!variables.demands.exists(d, d.exists(e, ("
    + " || ".join(f"e.key.startsWith({literal(each)})" for each in _DISCOVERED)
    + f") && !e.key.startsWith({literal(_INSTRUCTIONS)})))"
)
_VALUES = table({each.key: _values(each) for each in labels.STANDARD})
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


def answered_in_cluster(key: str, value: str) -> str:
    """Whether a toleration answers the taint in one of the effects that hold."""
    operator = 't.?operator.orValue("")'
    return (
        f'variables.tolerations.exists(t, t.?effect.orValue("") in ["", "NoSchedule", "NoExecute"]'
        f' && (t.?key.orValue("") == "" ? {operator} == "Exists"'
        f' : t.key == {literal(key)} && ({operator} == "Exists" || t.?value.orValue("") == {literal(value)})))'
    )


def _selects(key: str, value: str) -> str:
    wanted = f'e.key == {literal(key)} && e.operator == "In" && e.values == [{literal(value)}]'
    return f"variables.alternatives.exists(a, a.exists(e, {wanted}))"


_TOLERATES_IN_CLUSTER = "!variables.asks || " + every(
    *(answered_in_cluster(keys.GPU_TAINT, each) for each in taints.IN_CIRCULATION),
    answered_in_cluster(taints.DEDICATED_KEY, taints.DEDICATED_VALUE),
    *(
        f"!{_selects(key, value)} || {answered_in_cluster(key, value)}"
        for key, value in (
            *((labels.PURPOSE.key, each) for each in _PURPOSES),
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
    judge=_discovered,
    admission=Cel(_DISCOVERED_IN_CLUSTER),
)

POD_STANDARD_LABELS = Rule(
    name="pod-standard-labels",
    description="A pod selects GPU nodes by the standard's labels and values, not by another vocabulary's.",
    severity=Severity.MEDIUM,
    remediation="Select on the label that the finding names; docs/guides/migrate-labels.md has the whole translation.",
    kinds=WORKLOAD_KINDS,
    judge=_standard,
    admission=Cel(_STANDARD_IN_CLUSTER),
)

POD_NAMES_PURPOSE = Rule(
    name="pod-names-purpose",
    description="A pod that asks for cards says what for: it selects one purpose, so that it lands on no other.",
    severity=Severity.HIGH,
    remediation=f"Add {labels.PURPOSE.key} to nodeSelector, or paste the pool's block.",
    kinds=WORKLOAD_KINDS,
    judge=_purpose,
    admission=Cel(_PURPOSE_IN_CLUSTER),
)

POD_TOLERATES_STANDARD = Rule(
    name="pod-tolerates-standard",
    description="A pod that asks for cards tolerates the standard's taints of the pool that it names.",
    severity=Severity.HIGH,
    remediation="Add the tolerations of the pool's block: `gpuplatform block --stack NAME --pool POOL`.",
    kinds=WORKLOAD_KINDS,
    judge=_tolerates,
    admission=Cel(_TOLERATES_IN_CLUSTER),
)

RULES = (POD_NO_DISCOVERED_LABELS, POD_STANDARD_LABELS, POD_NAMES_PURPOSE, POD_TOLERATES_STANDARD)
