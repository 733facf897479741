"""Label accuracy: a fault for each label that is false of an instance type which a NodePool may launch.

A NodePool's requirements select instance types, and Karpenter puts its template's labels on a node of any of them. So
level 1 (vendor, model, memory) must be true of every type, and every type's cards must have the MIG profile of level 3.
A NodePool that selects by family is checked against the family.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import cast

from gpuplatform.catalog.instance_types import InstanceType, instance_types
from gpuplatform.faults import Fault
from gpuplatform.standard import keys, labels
from gpuplatform.standard.instance_labels import instance_label_keys, instance_labels
from gpuplatform.standard.requirements import Requirement

REQUIREMENTS_PATH = "spec.template.spec.requirements"
LABELS_PATH = "spec.template.metadata.labels"

_BOUNDING = (keys.INSTANCE_TYPE, keys.INSTANCE_FAMILY, keys.INSTANCE_GPU_NAME)
"""Keys whose values name hardware. Wider ones (a category, a generation) reach types that the catalog leaves out."""


def judge(nodepool: Mapping[str, object]) -> list[Fault]:
    """The faults of the labels of one NodePool's document: labels that are false, or may be."""
    return judge_labels(labels_of(nodepool), requirements_of(nodepool))


def judge_labels(node_labels: Mapping[str, str], requirements: Sequence[Requirement]) -> list[Fault]:
    """The faults of a template's labels under a NodePool's requirements.

    A NodePool without a label of the standard and without a type that has an NVIDIA card has no fault.
    """
    all_requirements = (*requirements, *_implied(node_labels))
    candidates = selectable(all_requirements)
    if not any(key.startswith(labels.PREFIX) for key in node_labels) and not any(
        instance.has_nvidia for instance in candidates
    ):
        return []
    if faults := _unknown_hardware(all_requirements):
        return faults
    if not any(requirement.key in _BOUNDING and requirement.operator == "In" for requirement in all_requirements):
        return [
            Fault(
                REQUIREMENTS_PATH,
                f"{len(candidates)} types of the catalog, and any type outside it",
                "a GPU NodePool that names its hardware, so that its labels are true of every type it may launch",
                f"add a requirement {keys.INSTANCE_TYPE} In [...],"
                f" or exclude cards: {keys.INSTANCE_GPU_COUNT} DoesNotExist",
            )
        ]
    if not candidates:
        return [
            Fault(
                REQUIREMENTS_PATH,
                "requirements that no instance type of the catalog meets",
                "at least one type",
                f"name real types with {keys.INSTANCE_TYPE}, and remove requirements that contradict them",
            )
        ]
    return false_labels(node_labels, candidates)


def false_labels(node_labels: Mapping[str, str], types: Sequence[InstanceType]) -> list[Fault]:
    """One fault for each label that is false of some of these types; absent labels are not checked here."""
    profile = node_labels.get(labels.MIG_PROFILE.key)
    partitioned = node_labels.get(labels.MIG.key) == labels.MIG_ENABLED
    checks: list[tuple[labels.Label, Callable[[InstanceType], bool], str]] = [
        (labels.VENDOR, lambda instance: instance.card is not None, "whole cards of that vendor"),
        (labels.MODEL, lambda instance: _model(instance) == node_labels[labels.MODEL.key], "that model, whole"),
        (
            labels.MEMORY,
            lambda instance: _memory(instance) == node_labels[labels.MEMORY.key],
            "that memory on each card",
        ),
        (labels.MIG, lambda instance: not partitioned or bool(_profiles(instance)), "cards that MIG can partition"),
        (labels.MIG_PROFILE, lambda instance: profile in _profiles(instance), "cards that have that profile"),
    ]
    faults: list[Fault] = []
    for label, is_true_of, hardware in checks:
        if label.key not in node_labels:
            continue
        exceptions = [instance_type for instance_type in types if not is_true_of(instance_type)]
        if exceptions:
            faults.append(
                Fault(
                    f"{LABELS_PATH}[{label.key}]",
                    f"{node_labels[label.key]!r}, false of {_listed(exceptions)}",
                    f"only types with {hardware}",
                    f"take those types out of {REQUIREMENTS_PATH} into a NodePool of their own, or correct the label",
                )
            )
    return faults


def selectable(requirements: Sequence[Requirement]) -> tuple[InstanceType, ...]:
    """Every type of the catalog that Karpenter may launch under the requirements.

    Requirements on keys that say nothing about a type (capacity type, zone, a team's own label) exclude none.
    """
    return _selectable(tuple(requirement for requirement in requirements if requirement.key in instance_label_keys()))


@functools.lru_cache(maxsize=1024)
def _selectable(type_requirements: tuple[Requirement, ...]) -> tuple[InstanceType, ...]:
    """Every type that meets requirements about types only; cached, because the pools of a stack repeat them."""
    return tuple(
        instance
        for name, instance in instance_types().items()
        if all(requirement.accepts(instance_labels(name).get(requirement.key)) for requirement in type_requirements)
    )


def requirements_of(nodepool: Mapping[str, object]) -> tuple[Requirement, ...]:
    """The requirements of a NodePool's document; entries in another form are left out."""
    spec = _mapping(_mapping(_mapping(nodepool.get("spec")).get("template")).get("spec"))
    lines = spec.get("requirements")
    mappings = [_mapping(line) for line in cast("list[object]", lines)] if isinstance(lines, list) else []
    return tuple(
        Requirement(str(line.get("key")), str(line.get("operator")), _texts(line.get("values"))) for line in mappings
    )


def labels_of(nodepool: Mapping[str, object]) -> dict[str, str]:
    """The labels of a NodePool's template, as text."""
    template = _mapping(_mapping(nodepool.get("spec")).get("template"))
    return {key: str(value) for key, value in _mapping(_mapping(template.get("metadata")).get("labels")).items()}


def _implied(node_labels: Mapping[str, str]) -> tuple[Requirement, ...]:
    """A template's label under a well-known key narrows the choice like a requirement."""
    return tuple(Requirement(key, "In", (value,)) for key, value in node_labels.items() if key in instance_label_keys())


def _unknown_hardware(requirements: Iterable[Requirement]) -> list[Fault]:
    """Faults of named hardware that the catalog does not know: its labels cannot be checked."""
    faults: list[Fault] = []
    for requirement in requirements:
        if requirement.operator != "In" or requirement.key not in _BOUNDING:
            continue
        values = _values_of(requirement.key)
        unknown_values = [value for value in requirement.values if value not in values]
        if unknown_values:
            faults.append(
                Fault(
                    f"{REQUIREMENTS_PATH}[{requirement.key}]",
                    ", ".join(unknown_values),
                    "hardware of the catalog, because the cards of other hardware are not known",
                    "correct the name, or remove it",
                )
            )
    return faults


@functools.cache
def _values_of(key: str) -> frozenset[str]:
    return frozenset(value for name in instance_types() if (value := instance_labels(name).get(key)))


def _model(instance: InstanceType) -> str | None:
    return instance.nvidia_card.model if instance.nvidia_card else None


def _memory(instance: InstanceType) -> str | None:
    return labels.memory_value(instance.nvidia_card.memory_gb) if instance.nvidia_card else None


def _profiles(instance: InstanceType) -> frozenset[str]:
    """Label values of the profiles that the type's card can be cut into."""
    table = instance.geometry
    return frozenset(labels.profile_value(profile.name) for profile in table.profiles) if table else frozenset()


def _listed(types: Sequence[InstanceType], at_most: int = 4) -> str:
    names = ", ".join(f"{instance_type.name} ({_hardware(instance_type)})" for instance_type in types[:at_most])
    return names if len(types) <= at_most else f"{names} and {len(types) - at_most} more"


def _hardware(instance: InstanceType) -> str:
    if instance.card is not None:
        return instance.card
    return "a fraction of an L4" if instance.fractional else "no NVIDIA card"


def _mapping(value: object) -> Mapping[str, object]:
    return cast("Mapping[str, object]", value) if isinstance(value, Mapping) else {}


def _texts(value: object) -> tuple[str, ...]:
    return tuple(str(item) for item in cast("list[object]", value)) if isinstance(value, list) else ()
