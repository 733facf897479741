"""Label accuracy: a fault for each label that is false of an instance type which a NodePool may launch.

A NodePool's requirements select instance types, and Karpenter puts its template's labels on a node of any of them. So
level 1 (vendor, model, memory) must be true of every type, and every type's cards must have the MIG profile of level 3.
A NodePool that selects by family is checked against the family.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import cast

from gpuplatform.analysis.placement.pod import whole
from gpuplatform.catalog.cards import cards
from gpuplatform.catalog.instance_types import InstanceType, instance_types
from gpuplatform.catalog.mig import geometry
from gpuplatform.faults import Fault
from gpuplatform.standard import keys, labels

_AWS = keys.INSTANCE_GPU_COUNT.removesuffix("gpu-count")
"""The prefix of Karpenter's labels about an instance type."""
FAMILY = f"{_AWS}family"
GPU_NAME = f"{_AWS}gpu-name"
REQUIREMENTS_PATH = "spec.template.spec.requirements"
LABELS_PATH = "spec.template.metadata.labels"

_BOUNDING = (keys.INSTANCE_TYPE, FAMILY, GPU_NAME)
"""Keys whose values name hardware. Wider ones (a category, a generation) reach types that the catalog leaves out."""

_GPU_MEMORY_MIB = MappingProxyType(
    {
        "T4-16GB": 16384,
        "T4G-16GB": 16384,
        "A10G-24GB": 22888,
        "L4-24GB": 22888,
        "L40S-48GB": 45776,
        "RTX-PRO-4500-32GB": 32768,
        "RTX-PRO-6000-96GB": 98304,
        "V100-32GB": 32768,
        "A100-40GB": 40960,
        "A100-80GB": 81920,
        "H100-80GB": 81920,
        "H200-141GB": 144384,
        "B200-180GB": 183359,
        "B300-269GB": 275040,
    }
)
"""MiB of one card as Karpenter's label instance-gpu-memory says, by the catalog's name of the card.

aws/karpenter-provider-aws website/content/en/v1.14/reference/instance-types.md commit 1d92708 (2026-08-21)."""
_FRACTION_MEMORY_MIB = MappingProxyType({"large": 2861, "xlarge": 2861, "2xlarge": 5722, "4xlarge": 11444})
"""The memory of the fractions of an L4 (g6f, gr6f), by size; their instance-gpu-count is 0."""
_FRACTION_GPU_NAME = "l4"

_FAMILY = re.compile(r"^(?P<category>[a-z]+)(-[0-9]+tb)?(?P<generation>[0-9]+)")
"""Category and generation as Karpenter reads them from a type's name (pkg/providers/instancetype/types.go, v1.14.1)."""


@dataclass(frozen=True, slots=True)
class Requirement:
    """One line of a NodePool's ``requirements``."""

    key: str
    operator: str
    """In, NotIn, Exists, DoesNotExist, Gt, Lt, Gte or Lte."""
    values: tuple[str, ...] = ()


def judge(nodepool: Mapping[str, object]) -> list[Fault]:
    """The faults of the labels of one NodePool's document: labels that are false, or may be."""
    return judge_labels(labels_of(nodepool), requirements_of(nodepool))


def judge_labels(claimed: Mapping[str, str], requirements: Sequence[Requirement]) -> list[Fault]:
    """The faults of a template's labels under a NodePool's requirements.

    A NodePool without a label of the standard and without a type that has an NVIDIA card has no fault.
    """
    every = (*requirements, *_implied(claimed))
    chosen = selectable(every)
    if not any(key.startswith(labels.PREFIX) for key in claimed) and not any(map(has_nvidia, chosen)):
        return []
    if strangers := _strangers(every):
        return strangers
    if not any(requirement.key in _BOUNDING and requirement.operator == "In" for requirement in every):
        return [
            Fault(
                REQUIREMENTS_PATH,
                f"{len(chosen)} types of the catalog, and any type outside it",
                "a GPU NodePool that names its hardware, so that its labels are true of every type it may launch",
                f"add a requirement {keys.INSTANCE_TYPE} In [...], or exclude cards: {_AWS}gpu-count DoesNotExist",
            )
        ]
    if not chosen:
        return [
            Fault(
                REQUIREMENTS_PATH,
                "requirements that no instance type of the catalog meets",
                "at least one type",
                f"name real types with {keys.INSTANCE_TYPE}, and remove requirements that contradict them",
            )
        ]
    return false_labels(claimed, chosen)


def false_labels(claimed: Mapping[str, str], types: Sequence[InstanceType]) -> list[Fault]:
    """One fault for each label that is false of some of these types; absent labels are not checked here."""
    profile = claimed.get(labels.MIG_PROFILE.key)
    partitioned = claimed.get(labels.MIG.key) == labels.MIG_ENABLED
    checks: list[tuple[labels.Label, Callable[[InstanceType], bool], str]] = [
        (labels.VENDOR, lambda instance: instance.card is not None, "whole cards of that vendor"),
        (labels.MODEL, lambda instance: _model(instance) == claimed[labels.MODEL.key], "that model, whole"),
        (labels.MEMORY, lambda instance: _memory(instance) == claimed[labels.MEMORY.key], "that memory on each card"),
        (labels.MIG, lambda instance: not partitioned or bool(_profiles(instance)), "cards that MIG can partition"),
        (labels.MIG_PROFILE, lambda instance: profile in _profiles(instance), "cards that have that profile"),
    ]
    faults: list[Fault] = []
    for label, true_of, having in checks:
        if label.key not in claimed:
            continue
        lies = [instance_type for instance_type in types if not true_of(instance_type)]
        if lies:
            faults.append(
                Fault(
                    f"{LABELS_PATH}[{label.key}]",
                    f"{claimed[label.key]!r}, false of {_listed(lies)}",
                    f"only types with {having}",
                    f"take those types out of {REQUIREMENTS_PATH} into a NodePool of their own, or correct the label",
                )
            )
    return faults


def selectable(requirements: Sequence[Requirement]) -> tuple[InstanceType, ...]:
    """Every type of the catalog that Karpenter may launch under the requirements.

    Requirements on keys that say nothing about a type (capacity type, zone, a team's own label) exclude none.
    """
    return _selectable(tuple(requirement for requirement in requirements if requirement.key in _known_keys()))


@functools.lru_cache(maxsize=1024)
def _selectable(about_types: tuple[Requirement, ...]) -> tuple[InstanceType, ...]:
    """Every type that meets requirements about types only; cached, because the pools of a stack repeat them."""
    return tuple(
        instance
        for name, instance in instance_types().items()
        if all(_answers(well_known(name).get(requirement.key), requirement) for requirement in about_types)
    )


def has_nvidia(instance: InstanceType) -> bool:
    """Whether the type has an NVIDIA card or a fraction of one."""
    return instance.card is not None or instance.fractional


@functools.cache
def well_known(instance_type: str) -> Mapping[str, str]:
    """The labels that Karpenter gives a type of the catalog; labels that the type lacks are left out."""
    instance = instance_types()[instance_type]
    parts = _FAMILY.match(instance.family)
    assert parts is not None, "every family of the catalog is letters and a generation"
    size = instance.name.partition(".")[2]
    values = {
        keys.INSTANCE_TYPE: instance.name,
        keys.ARCHITECTURE: instance.architecture,
        keys.OPERATING_SYSTEM: "linux",
        FAMILY: instance.family,
        f"{_AWS}category": parts["category"],
        f"{_AWS}generation": parts["generation"],
        f"{_AWS}size": size,
        f"{_AWS}cpu": str(instance.vcpus),
        f"{_AWS}memory": str(instance.memory_mib),
        f"{_AWS}network-bandwidth": str(instance.network_mbps),
    }
    if instance.nvme_gb:
        values[f"{_AWS}local-nvme"] = str(instance.nvme_gb)
    if has_nvidia(instance):
        card = cards()[instance.card] if instance.card else None
        memory = _GPU_MEMORY_MIB[card.name] if card else _FRACTION_MEMORY_MIB[size]
        values[GPU_NAME] = card.karpenter_gpu_name if card else _FRACTION_GPU_NAME
        values[f"{_AWS}gpu-manufacturer"] = "nvidia"
        values[f"{_AWS}gpu-count"] = str(instance.cards)
        values[f"{_AWS}gpu-memory"] = str(memory)
    if instance.neuron_name:
        values[f"{_AWS}accelerator-name"] = instance.neuron_name
        values[f"{_AWS}accelerator-manufacturer"] = "aws"
        values[f"{_AWS}accelerator-count"] = str(instance.neuron_devices)
    return MappingProxyType(values)


def requirements_of(nodepool: Mapping[str, object]) -> tuple[Requirement, ...]:
    """The requirements of a NodePool's document; entries in another form are left out."""
    spec = _mapping(_mapping(_mapping(nodepool.get("spec")).get("template")).get("spec"))
    lines = spec.get("requirements")
    written = [_mapping(line) for line in cast("list[object]", lines)] if isinstance(lines, list) else []
    return tuple(
        Requirement(str(line.get("key")), str(line.get("operator")), _texts(line.get("values"))) for line in written
    )


def labels_of(nodepool: Mapping[str, object]) -> dict[str, str]:
    """The labels of a NodePool's template, as text."""
    template = _mapping(_mapping(nodepool.get("spec")).get("template"))
    return {key: str(value) for key, value in _mapping(_mapping(template.get("metadata")).get("labels")).items()}


def _implied(claimed: Mapping[str, str]) -> tuple[Requirement, ...]:
    """A template's label under a well-known key narrows the choice like a requirement."""
    return tuple(Requirement(key, "In", (value,)) for key, value in claimed.items() if key in _known_keys())


def _strangers(requirements: Iterable[Requirement]) -> list[Fault]:
    """Faults of named hardware that the catalog does not know: its labels cannot be checked."""
    faults: list[Fault] = []
    for requirement in requirements:
        if requirement.operator != "In" or requirement.key not in _BOUNDING:
            continue
        values = _values_of(requirement.key)
        unknown = [value for value in requirement.values if value not in values]
        if unknown:
            faults.append(
                Fault(
                    f"{REQUIREMENTS_PATH}[{requirement.key}]",
                    ", ".join(unknown),
                    "hardware of the catalog, because the cards of other hardware are not known",
                    "correct the name, or remove it",
                )
            )
    return faults


def _answers(value: str | None, requirement: Requirement) -> bool:
    """Whether a type with this value of the key (None: without the key) meets the requirement."""
    match requirement.operator:
        case "In":
            return value in requirement.values
        case "NotIn":
            return value not in requirement.values
        case "Exists":
            return value is not None
        case "DoesNotExist":
            return value is None
        case "Gt" | "Lt" | "Gte" | "Lte":
            return _compares(value, requirement)
        case _:
            return False


def _compares(value: str | None, requirement: Requirement) -> bool:
    bound = whole(requirement.values[0]) if len(requirement.values) == 1 else None
    number = whole(value) if value is not None else None
    if number is None or bound is None:
        return False
    return {"Gt": number > bound, "Lt": number < bound, "Gte": number >= bound, "Lte": number <= bound}[
        requirement.operator
    ]


@functools.cache
def _known_keys() -> frozenset[str]:
    return frozenset(key for name in instance_types() for key in well_known(name))


@functools.cache
def _values_of(key: str) -> frozenset[str]:
    return frozenset(value for name in instance_types() if (value := well_known(name).get(key)))


def _model(instance: InstanceType) -> str | None:
    return cards()[instance.card].model if instance.card else None


def _memory(instance: InstanceType) -> str | None:
    return labels.memory_value(cards()[instance.card].memory_gb) if instance.card else None


def _profiles(instance: InstanceType) -> frozenset[str]:
    """Label values of the profiles that the type's card can be cut into."""
    table = geometry(cards()[instance.card].mig_table or "") if instance.card else None
    return frozenset(labels.profile_value(profile.name) for profile in table.profiles) if table else frozenset()


def _listed(types: Sequence[InstanceType], at_most: int = 4) -> str:
    named = ", ".join(f"{instance_type.name} ({_hardware(instance_type)})" for instance_type in types[:at_most])
    return named if len(types) <= at_most else f"{named} and {len(types) - at_most} more"


def _hardware(instance: InstanceType) -> str:
    if instance.card is not None:
        return instance.card
    return "a fraction of an L4" if instance.fractional else "no NVIDIA card"


def _mapping(value: object) -> Mapping[str, object]:
    return cast("Mapping[str, object]", value) if isinstance(value, Mapping) else {}


def _texts(value: object) -> tuple[str, ...]:
    return tuple(str(item) for item in cast("list[object]", value)) if isinstance(value, list) else ()
