"""Rows as manifests: the same pods, with the labels of our platform or of another design."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from gpuplatform.plan.node_pools import PlannedNodePool, unit_resource
from gpuplatform.render.block import block
from gpuplatform.render.document import Document, kubernetes_object
from gpuplatform.settings.settings import Settings
from gpuplatform.standard import keys, labels, resources
from tests.bench.placement.solver import Solution
from tests.bench.placement.workload import Row

MEANT = "meant"
"""A pod's label with the NodePool that it selects."""


def in_our_words(solution: Solution, settings: Settings) -> list[Document]:
    """Each row on the pools that the solver chose: with the pool's block, and selectors for the card and market."""
    priorities = {
        namespace.name: namespace.priorities[0] for tenant in settings.tenants for namespace in tenant.namespaces
    }
    together: dict[tuple[str, str], tuple[Row, PlannedNodePool, int]] = {}
    for row, offer, count in solution.pods:
        planned = offer.planned
        assert planned is not None, "the stack's offers have their NodePools"
        _, _, before = together.get((row.name, planned.name), (row, planned, 0))
        together[row.name, planned.name] = (row, planned, before + count)
    return [_of_pool(row, planned, count, priorities[row.namespace]) for row, planned, count in together.values()]


def deployment(row: Row, name: str, count: int, labels_: Mapping[str, str], spec: Document) -> Document:
    """A Deployment with a number of pods of a row. The kind of the controller does not decide where pods land."""
    pod_labels = {"app": name, **labels_}
    template = {"metadata": {"labels": pod_labels}, "spec": spec}
    return kubernetes_object(
        "apps/v1",
        "Deployment",
        name,
        row.namespace,
        spec={"replicas": count, "selector": {"matchLabels": {"app": name}}, "template": template},
    )


def container(row: Row, resource: str) -> Document:
    """The pod's one container: its cards, shares or slices, and its CPU and memory."""
    memory = {"memory": f"{row.memory_mib}Mi"}
    host = {"cpu": f"{row.cpu_millis}m", **memory}
    return {
        "name": "main",
        "image": "none",
        "resources": {"requests": host | {resource: str(row.cards)}, "limits": memory | {resource: str(row.cards)}},
        "securityContext": {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}},
    }


def _of_pool(row: Row, planned: PlannedNodePool, count: int, priority: str) -> Document:
    spec = block(planned.pool).as_pod_fragment()
    selector = dict(cast(Mapping[str, str], spec["nodeSelector"]))
    several: Sequence[str] = (labels.MODEL.key, labels.MEMORY.key, keys.CAPACITY_TYPE)
    selector |= {key: planned.node_labels[key] for key in several}
    spec |= {
        "nodeSelector": selector,
        "priorityClassName": priority,
        "automountServiceAccountToken": False,
        "securityContext": {
            "runAsNonRoot": True, "runAsUser": 1000, "seccompProfile": {"type": "RuntimeDefault"},
        },
        "containers": [container(row, unit_resource(planned.pool))],
    }  # fmt: skip
    return deployment(row, f"{row.name}-on-{planned.pool.name}", count, {MEANT: planned.name}, spec)


def on_whole_cards(row: Row, types: Sequence[str], selector: Mapping[str, str]) -> Document:
    """A row on a platform that does not share cards: a selector, the market, and the types that are large enough."""
    expressions = [{"key": keys.INSTANCE_TYPE, "operator": "In", "values": list(types)}]
    if not row.interruptible:
        expressions.append({"key": keys.CAPACITY_TYPE, "operator": "In", "values": ["on-demand"]})
    required = {"nodeSelectorTerms": [{"matchExpressions": expressions}]}
    spec: Document = {
        "nodeSelector": dict(selector),
        "affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": required}},
        "tolerations": [{"key": resources.GPU, "operator": "Exists", "effect": "NoSchedule"}],
        "containers": [container(row, resources.GPU)],
    }
    return deployment(row, row.name, row.pods, {}, spec)
