"""Reads a NodePool: its labels, its taints, and the instance types that it can launch, as far as they are known."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass

from gpuplatform.analysis.label_accuracy import selectable
from gpuplatform.catalog.instance_types import InstanceType
from gpuplatform.standard import keys, labels
from gpuplatform.standard.requirements import Requirement
from gpuplatform.standard.taints import TaintEffect
from policies.subject import UNKNOWN, Plain, Subject, Unknown, at, items, items_at, mapping_at, text

LABELS_PATH = "spec.template.metadata.labels"
TAINTS_PATH = "spec.template.spec.taints"
LIMITS_PATH = "spec.limits"

BLOCKING_EFFECTS = (TaintEffect.NO_SCHEDULE.value, TaintEffect.NO_EXECUTE.value)
"""Effects that keep a pod away; the third effect is only a preference."""


@dataclass(frozen=True, slots=True)
class WrittenTaint:
    """A taint as it is written: any part may be absent or unknown."""

    key: str | Unknown | None
    value: str | Unknown | None
    effect: str | Unknown | None

    @property
    def is_known(self) -> bool:
        """Whether every part is known."""
        return UNKNOWN not in (self.key, self.value, self.effect)

    def __str__(self) -> str:
        return f"{text(self.key)}={text(self.value) or ''}:{text(self.effect)}"


@dataclass(frozen=True)
class NodePool:
    """One NodePool; most rules read only its labels, so the longer parts are read at first use."""

    subject: Subject
    all_labels: Mapping[str, str | Unknown | None] | Unknown
    replicas: Plain
    """UNKNOWN also if the whole spec is unknown; None if the pool is elastic."""

    @functools.cached_property
    def requirements(self) -> tuple[Requirement, ...] | Unknown:
        """UNKNOWN if any of them is: a line that is not known yet could exclude or admit any type."""
        return requirements_at(self.subject, "spec", "template", "spec", "requirements")

    @functools.cached_property
    def taints(self) -> tuple[WrittenTaint, ...] | Unknown:
        """The taints on its nodes."""
        return taints_at(self.subject, "spec", "template", "spec", "taints")

    def label(self, label: labels.Label | str) -> str | Unknown | None:
        """The value of one label of its nodes."""
        key = label if isinstance(label, str) else label.key
        return UNKNOWN if isinstance(self.all_labels, Unknown) else self.all_labels.get(key)

    @property
    def known_labels(self) -> dict[str, str]:
        """The labels whose values are known."""
        if isinstance(self.all_labels, Unknown):
            return {}
        return {key: value for key, value in self.all_labels.items() if isinstance(value, str)}

    @property
    def is_static(self) -> bool:
        """Whether it keeps a fixed number of nodes."""
        return self.replicas is not None

    @property
    def types(self) -> tuple[InstanceType, ...] | Unknown:
        """Every type of the catalog that it can launch."""
        return UNKNOWN if isinstance(self.requirements, Unknown) else selectable(self.requirements)

    @property
    def is_gpu(self) -> bool:
        """Whether its types, labels or taints are about NVIDIA cards, as far as is known."""
        if not isinstance(self.all_labels, Unknown) and any(key.startswith(labels.PREFIX) for key in self.all_labels):
            return True
        if not isinstance(self.taints, Unknown) and any(taint.key == keys.GPU_TAINT for taint in self.taints):
            return True
        types = self.types
        return not isinstance(types, Unknown) and any(instance_type.has_nvidia for instance_type in types)

    @property
    def is_partitioned(self) -> bool:
        """Whether its cards are cut by MIG."""
        return self.label(labels.MIG) == labels.MIG_ENABLED

    @property
    def is_chief(self) -> bool:
        """Whether its nodes are chiefs."""
        return self.label(labels.ROLE) == labels.Role.CHIEF.value

    @property
    def is_protected(self) -> bool:
        """Whether its pods must not be disturbed: training and chiefs."""
        return self.is_chief or self.label(labels.PURPOSE) == labels.Purpose.TRAIN.value


def nodepool(subject: Subject) -> NodePool:
    """A NodePool's document, read."""
    node_labels = mapping_at(subject, "spec", "template", "metadata", "labels")
    return NodePool(
        subject,
        all_labels=node_labels
        if isinstance(node_labels, Unknown)
        else {key: text(value) for key, value in node_labels.items()},
        replicas=at(subject.body, "spec", "replicas"),
    )


def taints_at(subject: Subject, *path: str) -> tuple[WrittenTaint, ...] | Unknown:
    """The list of taints at a path."""
    lines = items_at(subject, *path)
    if isinstance(lines, Unknown):
        return UNKNOWN
    return tuple(WrittenTaint(*(text(at(line, part)) for part in ("key", "value", "effect"))) for line in lines)


def requirements_at(subject: Subject, *path: str) -> tuple[Requirement, ...] | Unknown:
    """The list of requirements at a path; UNKNOWN if any part of a requirement is unknown."""
    lines = items_at(subject, *path)
    if isinstance(lines, Unknown):
        return UNKNOWN
    requirements: list[Requirement] = []
    for line in lines:
        key, operator, values = text(at(line, "key")), text(at(line, "operator")), items(at(line, "values"))
        if isinstance(key, Unknown) or isinstance(operator, Unknown) or isinstance(values, Unknown):
            return UNKNOWN
        texts = [text(value) for value in values]
        if UNKNOWN in texts:
            return UNKNOWN
        requirements.append(Requirement(key or "", operator or "", tuple(str(part) for part in texts)))
    return tuple(requirements)
