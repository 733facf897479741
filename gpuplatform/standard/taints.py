"""The taints on GPU nodes and the tolerations that match them.

Two taints mark a GPU node (from the operations guide). A third names the pool's purpose, so that a pod that names no
purpose lands on no GPU node. Chief pools carry a fourth. Tolerations use ``Exists`` for the first two, so that both
values in use (``present`` and ``true``) match.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable
from dataclasses import dataclass

from gpuplatform.standard import keys, labels


class TaintEffect(enum.StrEnum):
    """The effect of a taint on a pod that does not tolerate it."""

    NO_SCHEDULE = "NoSchedule"  # new pods stay away; running pods stay
    NO_EXECUTE = "NoExecute"  # running pods are evicted too
    PREFER_NO_SCHEDULE = "PreferNoSchedule"  # avoided where possible


@dataclass(frozen=True, slots=True)
class Taint:
    """A taint on every node of a pool."""

    key: str
    value: str
    effect: TaintEffect

    def as_document(self) -> dict[str, str]:
        """The taint as Kubernetes writes it."""
        return {"key": self.key, "value": self.value, "effect": self.effect.value}


@dataclass(frozen=True, slots=True)
class Toleration:
    """A toleration in a pod's template. ``value`` None means ``Exists``: every value matches."""

    key: str
    value: str | None
    effect: TaintEffect | None

    def as_document(self) -> dict[str, str]:
        """The toleration as Kubernetes writes it."""
        document = {"key": self.key, "operator": "Exists" if self.value is None else "Equal"}
        if self.value is not None:
            document["value"] = self.value
        if self.effect is not None:
            document["effect"] = self.effect.value
        return document

    def answers(self, taint: Taint) -> bool:
        """Whether this toleration matches the taint."""
        return self.key == taint.key and self.value in (None, taint.value) and self.effect in (None, taint.effect)


DEDICATED_KEY = "dedicated"
DEDICATED_VALUE = "gpu"
PRESENT = "present"
IN_CIRCULATION = (PRESENT, "true")
"""The two values of the GPU taint that the guides use; the platform's tolerations match both."""

_EXISTS_KEYS = frozenset({keys.GPU_TAINT, DEDICATED_KEY})


def standard_taints(
    purpose: labels.Purpose, role: labels.Role, effect: TaintEffect = TaintEffect.NO_SCHEDULE
) -> tuple[Taint, ...]:
    """The taints that the standard puts on a pool: two for every GPU node, one for its purpose, one for chiefs."""
    taints = (
        Taint(keys.GPU_TAINT, PRESENT, effect),
        Taint(DEDICATED_KEY, DEDICATED_VALUE, effect),
        Taint(labels.PURPOSE.key, purpose.value, effect),
    )
    if role is labels.Role.CHIEF:
        taints += (Taint(labels.ROLE.key, role.value, effect),)
    return taints


NEURON_TAINT = Taint(keys.NEURON_TAINT, "true", TaintEffect.NO_SCHEDULE)
"""On every Inferentia and Trainium node (from the Karpenter guide)."""

ARM64 = "arm64"
ARM64_TAINT = Taint(keys.ARCHITECTURE, ARM64, TaintEffect.NO_SCHEDULE)
"""On every Graviton node of a pool: most images are built for amd64 only, and fail with "exec format error" there."""

SYSTEM_TAINT = Taint(keys.CRITICAL_ADDONS_ONLY, "true", TaintEffect.NO_SCHEDULE)
"""On the system nodes, so that only controllers land there."""


def architecture_taints(architectures: Iterable[str]) -> tuple[Taint, ...]:
    """The taint of arm64 nodes, which a pod has to tolerate; empty for amd64."""
    return (ARM64_TAINT,) if ARM64 in architectures else ()


def tolerations(taints: Iterable[Taint]) -> tuple[Toleration, ...]:
    """One toleration for each taint: ``Exists`` for the GPU taints, the exact value for every other."""
    return tuple(
        Toleration(taint.key, None if taint.key in _EXISTS_KEYS else taint.value, taint.effect) for taint in taints
    )


def tolerations_of_any_gpu_pool(taints: Iterable[Taint]) -> tuple[Toleration, ...]:
    """One ``Exists`` toleration for each distinct key and effect: for DaemonSets that run on every GPU node."""
    pairs = dict.fromkeys((taint.key, taint.effect) for taint in taints)
    return tuple(Toleration(key, None, effect) for key, effect in pairs)


def demands(taints: Iterable[Taint]) -> frozenset[tuple[str, str | None, TaintEffect]]:
    """The taints that a pod has to tolerate to land on a node: equal results mean that the same pods may land there.

    A key that pods tolerate by ``Exists`` counts without its value. ``PreferNoSchedule`` does not count.
    """
    return frozenset(
        (taint.key, None if taint.key in _EXISTS_KEYS else taint.value, taint.effect)
        for taint in taints
        if taint.effect is not TaintEffect.PREFER_NO_SCHEDULE
    )


def untolerated(taints: Iterable[Taint], answers: Iterable[Toleration]) -> tuple[Taint, ...]:
    """The taints that no toleration matches; ``PreferNoSchedule`` is left out, because it keeps no pod away."""
    tolerated = tuple(answers)
    return tuple(
        taint
        for taint in taints
        if taint.effect is not TaintEffect.PREFER_NO_SCHEDULE
        and not any(toleration.answers(taint) for toleration in tolerated)
    )


_SYSTEM = "system"


def system_labels() -> dict[str, str]:
    """The labels of every system node, which is also the node selector of every controller."""
    return {keys.NODE_ROLE: _SYSTEM}


def system_tolerations() -> list[dict[str, str]]:
    """The tolerations of every controller, as Kubernetes writes them."""
    return [{"key": SYSTEM_TAINT.key, "operator": "Exists"}]
