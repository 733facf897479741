"""Priority classes: inference over training over experiment (operations guide, with two corrections).

The guide gives inference ``preemptionPolicy: Never``, although by its text inference evicts experiments. It makes the
lowest class the default of the whole cluster, although every unclassified pod would then get a positive priority.
"""

from __future__ import annotations

from dataclasses import dataclass

from gpuplatform.standard.labels import Purpose


@dataclass(frozen=True, slots=True)
class Priority:
    """A Kubernetes PriorityClass. No class is the cluster's default, and each may preempt pods of lower classes."""

    name: str
    value: int
    meaning: str
    purpose: Purpose
    """The purpose of the pools on which such work runs."""


INFERENCE = Priority(
    "inference-critical",
    1_000_000,
    "Production inference: placed first, evicts training and experiments.",
    Purpose.INFER,
)
TRAINING = Priority(
    "training-normal",
    500_000,
    "Training: evicts experiments, is evicted for inference; checkpoint.",
    Purpose.TRAIN,
)
EXPERIMENT = Priority(
    "experiment-low",
    100_000,
    "Experiments and notebooks: evicted first when cards are short.",
    Purpose.DEV,
)

PRIORITIES: tuple[Priority, ...] = (INFERENCE, TRAINING, EXPERIMENT)
PREEMPTION_POLICY = "PreemptLowerPriority"


def priority(name: str) -> Priority | None:
    """The priority class of that name, or None."""
    return next((priority_class for priority_class in PRIORITIES if priority_class.name == name), None)
