"""Priority classes: inference over training over experiment (operations guide, with its two slips mended).

The guide gives inference ``preemptionPolicy: Never`` although its text has it evict experiments, and makes the lowest
class the default of the whole cluster although that would hand every unclassified pod a positive priority.
"""

from __future__ import annotations

from dataclasses import dataclass

from gpuplatform.standard.labels import Purpose


@dataclass(frozen=True, slots=True)
class Priority:
    """A Kubernetes PriorityClass. None of them is the cluster's default, and each may preempt what is lower."""

    name: str
    value: int
    meaning: str
    purpose: Purpose
    """What the pools are for on which such work is meant to run."""


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
    return next((each for each in PRIORITIES if each.name == name), None)
