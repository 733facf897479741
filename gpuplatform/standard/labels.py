"""The four levels of labels on a GPU node: keys, values, meanings, and the function that checks them.

Level 1 describes the hardware, level 2 whether the card is partitioned, level 3 into which slices, level 4 the purpose
and role of the pool. Each label has one meaning. Every GPU NodePool has the whole set, fixed for the life of a node.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Mapping
from dataclasses import dataclass

from gpuplatform.catalog.cards import cards
from gpuplatform.faults import Fault
from gpuplatform.standard import keys


class Level(enum.IntEnum):
    """The level of a label: which question it answers."""

    HARDWARE = 1
    FEATURE = 2
    POLICY = 3
    ROLE = 4


class Role(enum.StrEnum):
    """The part of a node in a distributed job."""

    CHIEF = "chief"  # few, a fixed number of nodes, protected, never consolidated
    WORKER = "worker"  # many, elastic


class Purpose(enum.StrEnum):
    """The purpose of a pool: the value of ``gpu.pool``, not a pool's name."""

    TRAIN = "train"
    INFER = "infer"
    DEV = "dev"


@dataclass(frozen=True, slots=True)
class Label:
    """One label of the standard."""

    key: str
    level: Level
    meaning: str
    values: tuple[str, ...] | None
    """Every value allowed, or None where the catalog decides."""
    required: str
    """The pools that need the label, as a text for the generated page."""


MIG_ENABLED = "enabled"
MIG_DISABLED = "disabled"

VENDOR = Label("gpu.vendor", Level.HARDWARE, "Who made the card.", ("nvidia",), "every GPU pool")
MODEL = Label("gpu.model", Level.HARDWARE, "The card's model, as the catalog names it.", None, "every GPU pool")
MEMORY = Label("gpu.mem", Level.HARDWARE, "Memory of one card as it is sold, such as 80gb.", None, "every GPU pool")
MIG = Label(
    "gpu.mig",
    Level.FEATURE,
    "Whether the card is partitioned by MIG.",
    (MIG_ENABLED, MIG_DISABLED),
    "every GPU pool",
)
MIG_PROFILE = Label(
    "gpu.mig.profile",
    Level.POLICY,
    "The one profile that every slice of the pool has, as the node really offers it.",
    None,
    "if and only if gpu.mig is enabled",
)
ROLE = Label(
    "gpu.role",
    Level.ROLE,
    "chief: few, fixed in number, protected. worker: many, elastic.",
    tuple(role.value for role in Role),
    "every GPU pool",
)
PURPOSE = Label(
    "gpu.pool", Level.ROLE, "What the pool is for.", tuple(purpose.value for purpose in Purpose), "every GPU pool"
)

STANDARD: tuple[Label, ...] = (VENDOR, MODEL, MEMORY, MIG, MIG_PROFILE, ROLE, PURPOSE)
PREFIX = "gpu."

LABEL_VALUE = re.compile(r"^[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$")
"""A Kubernetes label value: at most 63 characters, alphanumeric at both ends."""


def memory_value(memory_gb: int) -> str:
    """The value of ``gpu.mem`` for a card's memory in GB as sold."""
    return f"{memory_gb}gb"


def profile_value(profile: str) -> str:
    """A MIG profile as label values, resources and configuration keys write it: ``1g.10gb+me`` gives ``1g.10gb.me``.

    They allow no ``+``; NVIDIA's device plugin writes ``.`` instead.
    """
    return profile.replace("+", ".")


def label_problems(labels: Mapping[str, str], path: str) -> list[Fault]:
    """Faults of the standard's labels on one GPU pool, checked against the catalog.

    The labels must be complete and have allowed values. The memory must exist for the model, and the profile for the
    card. No other key may have the standard's prefix or belong to NVIDIA's feature discovery. Whether the labels are
    true of the instance types that the pool launches is checked in ``analysis.label_accuracy``.
    """
    return [*_missing(labels, path), *_values(labels, path), *_hardware(labels, path), *_strays(labels, path)]


def _missing(labels: Mapping[str, str], path: str) -> list[Fault]:
    faults = [
        Fault(f"{path}[{label.key}]", "no such label", _allowed(label), f"add the label {label.key}: {label.meaning}")
        for label in STANDARD
        if label is not MIG_PROFILE and label.key not in labels
    ]
    enabled = labels.get(MIG.key) == MIG_ENABLED
    profile = labels.get(MIG_PROFILE.key)
    if enabled and profile is None:
        faults.append(
            Fault(
                f"{path}[{MIG_PROFILE.key}]",
                f"no such label beside {MIG.key}={MIG_ENABLED}",
                "the profile that every slice of the pool has",
                f"add {MIG_PROFILE.key}, or set {MIG.key} to {MIG_DISABLED}",
            )
        )
    if profile is not None and not enabled:
        faults.append(
            Fault(
                f"{path}[{MIG_PROFILE.key}]",
                f"{profile!r} beside {MIG.key}={labels.get(MIG.key)!r}",
                f"a profile only where {MIG.key}={MIG_ENABLED}",
                f"remove {MIG_PROFILE.key}, or set {MIG.key} to {MIG_ENABLED}",
            )
        )
    return faults


def _values(labels: Mapping[str, str], path: str) -> list[Fault]:
    return [
        Fault(f"{path}[{label.key}]", repr(labels[label.key]), _allowed(label), f"set {label.key} to one of those")
        for label in STANDARD
        if label.values is not None and label.key in labels and labels[label.key] not in label.values
    ]


def _hardware(labels: Mapping[str, str], path: str) -> list[Fault]:
    model, memory, profile = (labels.get(label.key) for label in (MODEL, MEMORY, MIG_PROFILE))
    if model is None:
        return []
    of_model = [card for card in cards().values() if card.model == model]
    if not of_model:
        models = ", ".join(sorted({card.model for card in cards().values()}))
        return [Fault(f"{path}[{MODEL.key}]", repr(model), f"a model of the catalog: {models}", "choose one of those")]
    faults: list[Fault] = []
    matching = [card for card in of_model if memory_value(card.memory_gb) == memory]
    if memory is not None and not matching:
        sizes = " or ".join(sorted(memory_value(card.memory_gb) for card in of_model))
        faults.append(Fault(f"{path}[{MEMORY.key}]", repr(memory), f"{sizes} for {model}", "write the memory as sold"))
    if profile is not None and len(matching) == 1:
        table = matching[0].geometry
        profiles_by_value = {} if table is None else {profile_value(p.name): p for p in table.profiles}
        if profile not in profiles_by_value:
            has = ", ".join(profiles_by_value) or "none: it has no MIG"
            faults.append(
                Fault(
                    f"{path}[{MIG_PROFILE.key}]",
                    repr(profile),
                    f"a profile of {matching[0].name}: {has}",
                    "choose a profile that this card has, or another card",
                )
            )
    return faults


def _strays(labels: Mapping[str, str], path: str) -> list[Fault]:
    standard_keys = {label.key for label in STANDARD}
    faults = [
        Fault(f"{path}[{key}]", repr(value), f"only {', '.join(sorted(standard_keys))} under {PREFIX}", f"remove {key}")
        for key, value in labels.items()
        if key.startswith(PREFIX) and key not in standard_keys
    ]
    return faults + hand_set(labels, path)


def hand_set(labels: Mapping[str, str], path: str) -> list[Fault]:
    """Faults for labels set by hand that belong to NVIDIA's feature discovery, which overwrites them.

    One label with the same prefix is allowed: it instructs the operator to keep its operands off a node.
    """
    return [
        Fault(
            f"{path}[{key}]",
            repr(value),
            f"no label under {keys.FEATURE_DISCOVERY_PREFIX}: feature discovery owns and overwrites them",
            f"remove {key}; use {', '.join(label.key for label in STANDARD[:3])}",
        )
        for key, value in labels.items()
        if key.startswith(keys.FEATURE_DISCOVERY_PREFIX) and key != keys.OPERANDS
    ]


def _allowed(label: Label) -> str:
    return "one of " + ", ".join(label.values) if label.values else label.meaning.rstrip(".")
