"""Other label vocabularies, translated into the standard.

An alias is read, and during a migration it is written in addition to the standard. The two guides share keys, so a
stack may write the aliases of one guide, not of both.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping

from gpuplatform.standard import keys, labels
from gpuplatform.standard.markets import Market


class Vocabulary(enum.StrEnum):
    """A guide whose labels a stack writes in addition to the standard while its workloads migrate."""

    OPERATIONS_GUIDE = "operations-guide"
    KARPENTER_GUIDE = "karpenter-guide"


_CLASS_OF_PURPOSE = {
    labels.Purpose.INFER: "inference",
    labels.Purpose.TRAIN: "training",
    labels.Purpose.DEV: "notebook",
}

NODE_TYPE = "node-type"
GPU_TYPE = "gpu-type"
GPU_MEMORY = "gpu-memory"
WORKLOAD_CLASS = "workload-class"
WORKLOAD = "workload"
ACCELERATOR = "accelerator"

ALIAS_KEYS: tuple[str, ...] = (NODE_TYPE, GPU_TYPE, GPU_MEMORY, WORKLOAD_CLASS, WORKLOAD, ACCELERATOR)


_NVIDIA: dict[str, str | None] = {labels.VENDOR.key: None}
EXACT: Mapping[tuple[str, str], dict[str, str | None]] = {
    (NODE_TYPE, "gpu"): _NVIDIA,
    (NODE_TYPE, "gpu-inference"): {labels.PURPOSE.key: "infer"},
    (NODE_TYPE, "gpu-training"): {labels.PURPOSE.key: "train"},
    (NODE_TYPE, "gpu-spot"): {labels.PURPOSE.key: "infer", keys.CAPACITY_TYPE: Market.SPOT.value},
    (WORKLOAD, "inference"): {labels.PURPOSE.key: "infer"},
    (WORKLOAD, "training"): {labels.PURPOSE.key: "train"},
    (WORKLOAD, "ai-ml"): _NVIDIA,
    (ACCELERATOR, "nvidia"): {labels.VENDOR.key: "nvidia"},
    **{(WORKLOAD_CLASS, value): {labels.PURPOSE.key: purpose.value} for purpose, value in _CLASS_OF_PURPOSE.items()},
}
"""Aliases of one key and one value, and their translation into the standard."""
OPEN_KEYS: tuple[str, ...] = (GPU_TYPE, GPU_MEMORY)
"""Aliases of which every value has a translation: the card's model and its memory."""


def written(vocabulary: Vocabulary, standard: Mapping[str, str]) -> dict[str, str]:
    """The alias labels that stand for a pool's standard labels in one vocabulary."""
    purpose = labels.Purpose(standard[labels.PURPOSE.key])
    if vocabulary is Vocabulary.OPERATIONS_GUIDE:
        return {
            NODE_TYPE: "gpu",
            GPU_TYPE: standard[labels.MODEL.key].lower(),
            GPU_MEMORY: standard[labels.MEMORY.key],
            WORKLOAD_CLASS: _CLASS_OF_PURPOSE[purpose],
        }
    node_type = {labels.Purpose.INFER: "gpu-inference", labels.Purpose.TRAIN: "gpu-training", labels.Purpose.DEV: "gpu"}
    workload = {labels.Purpose.INFER: "inference", labels.Purpose.TRAIN: "training", labels.Purpose.DEV: "ai-ml"}
    return {NODE_TYPE: node_type[purpose], WORKLOAD: workload[purpose]}


def translated(alias_labels: Mapping[str, str]) -> dict[str, str | None]:
    """Alias labels translated into the standard. A value of None means that the key must be present with any value.

    Keys that are no alias, and aliases with an unknown value, are left out.
    """
    standard: dict[str, str | None] = {}
    for key, value in alias_labels.items():
        standard.update(_translation(key, value))
    return standard


def _translation(key: str, value: str) -> dict[str, str | None]:
    if key == GPU_TYPE:
        return {labels.MODEL.key: value.upper()}
    if key == GPU_MEMORY:
        return {labels.MEMORY.key: value}
    return EXACT.get((key, value), {})
