"""Queues: Kueue's chart, then its objects for the stack's cards and teams."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pulumi

from components.handles import ClusterHandle
from components.kubernetes import install, register
from gpuplatform.render.document import Document


@dataclass(frozen=True, kw_only=True, slots=True)
class QueuesArgs:
    """The inputs of Queues."""

    cluster: ClusterHandle
    values: Mapping[str, Document]
    """Kueue's values by the chart's name; empty if no namespace is queued."""
    stages: Sequence[Sequence[Document]]
    """Kueue's objects in stages; each stage needs the one before."""


class Queues(pulumi.ComponentResource):
    """The queues of a stack; nothing if no namespace is queued."""

    def __init__(self, name: str, args: QueuesArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("gpu-platform:index:Queues", name, None, opts)
        provider = args.cluster.kubernetes
        before: list[pulumi.Resource] = [
            # The chart defines the kinds and serves their webhooks, so a destroy removes it last.
            install(self, f"{name}-{chart}", chart, values, provider)
            for chart, values in args.values.items()
        ]
        for stage in args.stages:
            # A flavor that a queue uses cannot be deleted, so a destroy removes the queues first.
            before = [register(self, name, document, provider, before) for document in stage] or before
        self.register_outputs({})
