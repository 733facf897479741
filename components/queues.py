"""Queues: Kueue, and then what it reads about the stack's cards and teams (Q6-Q8)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pulumi

from components.handles import ClusterHandle
from components.kubernetes import install, register
from gpuplatform.render.document import Document


@dataclass(frozen=True, kw_only=True, slots=True)
class QueuesArgs:
    """What queues are made from."""

    cluster: ClusterHandle
    values: Mapping[str, Document]
    """Kueue's values by the chart's name; empty where no namespace is queued."""
    stages: Sequence[Sequence[Document]]
    """What Kueue reads, each stage in need of the one before."""


class Queues(pulumi.ComponentResource):
    """The queues of a stack; nothing at all where no namespace is queued."""

    def __init__(self, name: str, args: QueuesArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("gpu-platform:index:Queues", name, None, opts)
        provider = args.cluster.kubernetes
        before: list[pulumi.Resource] = [
            # The chart brings the kinds, and answers for them; on the way down it goes last.
            install(self, f"{name}-{chart}", chart, values, provider)
            for chart, values in args.values.items()
        ]
        for stage in args.stages:
            # A flavor that a queue uses cannot be deleted: the queues go first.
            before = [register(self, name, each, provider, before) for each in stage] or before
        self.register_outputs({})
