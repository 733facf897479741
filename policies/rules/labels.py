"""Labels: a GPU NodePool has every label of the standard, true of every type it may launch, and none of NVIDIA's."""

from __future__ import annotations

from collections.abc import Iterable

from gpuplatform.analysis import label_accuracy
from gpuplatform.faults import Fault
from gpuplatform.standard import keys, labels
from policies.cel import Cel, every, literal
from policies.nodepool import LABELS_PATH, nodepool
from policies.rule import Rule, Severity
from policies.subject import NODE_GROUP, NODE_POOL, UNKNOWN, Subject, Unknown, at, known_items, mapping_at, text


def _missing_labels(subject: Subject) -> Iterable[Fault]:
    pool = nodepool(subject)
    node_labels = pool.all_labels
    if not pool.is_gpu or isinstance(node_labels, Unknown):
        return []
    unknown_keys = {key for key, value in node_labels.items() if value is UNKNOWN}
    if labels.MIG.key in unknown_keys:
        unknown_keys.add(labels.MIG_PROFILE.key)
    unknown_paths = {f"{LABELS_PATH}[{key}]" for key in unknown_keys}
    standard_labels = {
        key: value or ""
        for key, value in pool.known_labels.items()
        if not key.startswith(keys.FEATURE_DISCOVERY_PREFIX)
    }
    return [fault for fault in labels.label_problems(standard_labels, LABELS_PATH) if fault.path not in unknown_paths]


def _false_labels(subject: Subject) -> Iterable[Fault]:
    pool = nodepool(subject)
    if isinstance(pool.requirements, Unknown) or isinstance(pool.all_labels, Unknown):
        return []
    return label_accuracy.judge_labels(pool.known_labels, pool.requirements)


def _discovery_labels(subject: Subject) -> Iterable[Fault]:
    if subject.is_a(NODE_GROUP):
        return _discovery_labels_at(subject, "labels")
    return [
        *_discovery_labels_at(subject, *LABELS_PATH.split(".")),
        *(
            fault
            for key in _requirement_keys(subject)
            for fault in labels.hand_set({key: "a requirement"}, label_accuracy.REQUIREMENTS_PATH)
        ),
    ]


def _discovery_labels_at(subject: Subject, *path: str) -> list[Fault]:
    node_labels = mapping_at(subject, *path)
    texts = {} if isinstance(node_labels, Unknown) else {key: str(text(value)) for key, value in node_labels.items()}
    return labels.hand_set(texts, ".".join(path))


def _requirement_keys(subject: Subject) -> list[str]:
    """The requirements' keys: Karpenter labels a node with a fixed requirement, so one can set a label too."""
    requirements = known_items(at(subject.body, *label_accuracy.REQUIREMENTS_PATH.split(".")))
    return [key for line in requirements if isinstance(key := at(line, "key"), str)]


def _if_present(key: str, values: Iterable[str]) -> str:
    return f"!({literal(key)} in variables.labels) || variables.labels[{literal(key)}] in {literal(values)}"


_PROFILE = literal(labels.MIG_PROFILE.key)
_COMPLETE_IN_CLUSTER = "!variables.is_gpu || " + every(
    f"{literal(label.key for label in labels.STANDARD if label is not labels.MIG_PROFILE)}"
    ".all(k, k in variables.labels)",
    f"variables.labels.all(k, !k.startsWith({literal(labels.PREFIX)})"
    f" || k in {literal(label.key for label in labels.STANDARD)})",
    *(_if_present(label.key, label.values) for label in labels.STANDARD if label.values is not None),
    f"variables.partitioned == ({_PROFILE} in variables.labels)",
    "variables.card in variables.cards",
    f"!({_PROFILE} in variables.labels)"
    f" || variables.labels[{_PROFILE}] in variables.cards[?variables.card].orValue({{}})",
)
_NVIDIAS_OWN = f"k.startsWith({literal(keys.FEATURE_DISCOVERY_PREFIX)}) && k != {literal(keys.OPERANDS)}"


GPU_LABELS_COMPLETE = Rule(
    name="gpu-labels-complete",
    description="Every GPU NodePool carries the whole label standard, with values that the standard allows.",
    severity=Severity.HIGH,
    remediation="Write every label of the standard into spec.template.metadata.labels, fixed for the life of a node.",
    kinds=(NODE_POOL,),
    judge=_missing_labels,
    admission=Cel(_COMPLETE_IN_CLUSTER),
)

GPU_LABELS_TRUE = Rule(
    name="gpu-labels-true",
    description="A GPU NodePool's labels are true of every instance type that its requirements can select.",
    severity=Severity.CRITICAL,
    remediation="Name the instance types of one card with one memory size, and write that card's labels.",
    kinds=(NODE_POOL,),
    judge=_false_labels,
    admission=Cel(
        '!variables.is_gpu || variables.types.all(t, variables.card_of_type[?t].orValue("") == variables.card)',
        gap="hardware that is named otherwise than by instance type",
    ),
)

NO_HAND_SET_GPU_LABELS = Rule(
    name="no-hand-set-gpu-labels",
    description="No label of NVIDIA's feature discovery is set by hand: it overwrites them.",
    severity=Severity.HIGH,
    remediation=f"Remove every {keys.FEATURE_DISCOVERY_PREFIX}* label; use the standard's labels instead.",
    kinds=(NODE_POOL, NODE_GROUP),
    judge=_discovery_labels,
    admission=Cel(
        f"!variables.labels.exists(k, {_NVIDIAS_OWN})"
        f" && !variables.requirements.map(r, r.key).exists(k, {_NVIDIAS_OWN})"
    ),
)

RULES = (GPU_LABELS_COMPLETE, GPU_LABELS_TRUE, NO_HAND_SET_GPU_LABELS)
