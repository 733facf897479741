"""PriorityClasses (Q5): inference over training over experiment, none of them the cluster's default."""

from __future__ import annotations

from gpuplatform.render.document import Document, a
from gpuplatform.standard.priorities import PREEMPTION_POLICY, PRIORITIES


def priority_classes() -> list[Document]:
    """The three classes, highest first."""
    return [
        a(
            "scheduling.k8s.io/v1",
            "PriorityClass",
            each.name,
            value=each.value,
            globalDefault=False,
            preemptionPolicy=PREEMPTION_POLICY,
            description=each.meaning,
        )
        for each in PRIORITIES
    ]
