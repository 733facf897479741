"""NodePools of GPU, CPU and Neuron pools with their disruption budgets, and the NodeOverlays of shared cards.

Budgets: the settings name windows in which disruption is allowed; Karpenter's budgets block at other times, on a UTC
schedule. The smallest of all active budgets wins, so one budget always allows ``nodes_at_once`` and the others allow
zero nodes while a reason's window is closed.

Overlays: they tell Karpenter what a node with shared cards offers. Slices are added under their own name and whole
cards hidden; shares replace the number of cards. Karpenter only simulates with an overlay: the GPU Operator has to make
the same number.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from gpuplatform.catalog.instance_types import InstanceType
from gpuplatform.plan.node_pools import (
    PlannedNodePool,
    architectures,
    mig_profile,
    shares_per_card,
    taints_without_cards,
    unit_resource,
)
from gpuplatform.plan.week import blocked, weekdays
from gpuplatform.render import sharing
from gpuplatform.render.document import Document, kubernetes_object
from gpuplatform.settings.disruption import Day, Disruption
from gpuplatform.settings.pools import CpuPool, NeuronPool, Pool
from gpuplatform.standard import aliases, keys, names, resources
from gpuplatform.standard.aliases import Vocabulary
from gpuplatform.standard.markets import Reason

API_VERSION = "karpenter.sh/v1"
_OVERLAY_API_VERSION = "karpenter.sh/v1alpha1"
_NEVER = "Never"


@dataclass(frozen=True, slots=True)
class NodePoolDocuments:
    """A NodePool with the documents that it needs."""

    node_class: Document
    """The EC2NodeClass that it launches from; the NodePools of one pool share it."""
    overlays: tuple[Document, ...]
    """Its NodeOverlays; empty where cards are whole or claimed, or the gate for overlays is closed."""
    node_pool: Document


def nodepool(planned: PlannedNodePool, vocabulary: Vocabulary | None) -> Document:
    """One NodePool: labels, taints, ceiling, weight and disruption budgets."""
    spec: Document = {"template": _template(planned, vocabulary)}
    if planned.replicas is not None:
        # A static NodePool has no weight; its limit is one node more than it has, so that drift can replace a node.
        spec["replicas"] = planned.replicas
        spec["limits"] = {resources.NODES: str(planned.replicas + 1)}
        spec["disruption"] = {"consolidateAfter": _NEVER, "budgets": budgets(planned.pool.disruption)}
    else:
        spec["weight"] = planned.weight
        spec["limits"] = _limits(planned)
        spec["disruption"] = disruption_block(planned.pool.disruption)
    return kubernetes_object(API_VERSION, "NodePool", planned.name, spec=spec)


def cpu_nodepool(pool: CpuPool, zones: tuple[str, ...]) -> Document:
    """One NodePool for a CPU pool; Karpenter takes the cheapest of its types and markets."""
    return _nodepool(pool, zones, {resources.CPU: str(pool.ceiling_vcpus)})


def neuron_nodepool(pool: NeuronPool, zones: tuple[str, ...]) -> Document:
    """One NodePool for a Neuron pool, behind the Neuron taint."""
    return _nodepool(pool, zones, {resources.NEURON: str(pool.ceiling_devices)})


def overlays(planned: PlannedNodePool) -> list[Document]:
    """The overlays of a NodePool: one for each number of cards that a node has; empty where cards are not shared."""
    if mig_profile(planned.pool) is None and shares_per_card(planned.pool) is None:
        return []
    by_cards: dict[int, list[InstanceType]] = defaultdict(list)
    for instance_type in planned.types:
        by_cards[instance_type.cards].append(instance_type)
    return [_overlay(planned, cards, types, len(by_cards) > 1) for cards, types in sorted(by_cards.items())]


def instruction_labels(planned: PlannedNodePool, vocabulary: Vocabulary | None) -> dict[str, str]:
    """The labels of a pool's nodes: the standard's, an alias vocabulary's, and those that plugins select nodes by."""
    labels = dict(planned.labels)
    if vocabulary is not None:
        labels |= aliases.written(vocabulary, planned.labels)
    labels |= planned.efa_label
    if planned.card.mig_table is not None:
        labels[keys.MIG_CONFIG] = sharing.mig_config_key(planned.card, mig_profile(planned.pool))
    if (shared := sharing.plugin_config_key(planned.pool.sharing)) is not None:
        labels[keys.DEVICE_PLUGIN_CONFIG] = shared
    if planned.pool.dra:
        labels[keys.OPERANDS] = "false"
    return labels


def disruption_block(disruption: Disruption) -> Document:
    """The ``spec.disruption`` of an elastic NodePool."""
    return {
        "consolidationPolicy": disruption.consolidation.value,
        "consolidateAfter": f"{disruption.consolidate_after_minutes}m",
        "budgets": budgets(disruption),
    }


def budgets(disruption: Disruption) -> list[Document]:
    """One budget that allows, then one for each repeating period in which some reasons are blocked."""
    blocking: dict[tuple[int, int, tuple[Day, ...]], list[Reason]] = defaultdict(list)
    for reason in Reason:
        for (minute, minutes), days in weekdays(blocked(disruption, reason)).items():
            blocking[(minute, minutes, tuple(days))].append(reason)
    allowing: Document = {"nodes": str(disruption.nodes_at_once)}
    return [allowing, *(_closed(*when, reasons) for when, reasons in sorted(blocking.items()))]


def node_class_ref(name: str) -> dict[str, str]:
    """The reference from a NodePool to the EC2NodeClass of that name."""
    return {"group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": name}


def requirement(key: str, *values: str) -> Document:
    """A NodePool requirement: the key is one of the values."""
    return {"key": key, "operator": "In", "values": list(values)}


def _closed(minute: int, minutes: int, days: tuple[Day, ...], reasons: list[Reason]) -> Document:
    hours, rest = divmod(minute, 60)
    budget: Document = {"nodes": "0"}
    if len(reasons) < len(Reason):
        budget["reasons"] = [reason.value for reason in reasons]
    budget["schedule"] = f"{rest} {hours} * * {_cron_days(days)}"
    budget["duration"] = f"{minutes // 60}h{minutes % 60}m" if minutes % 60 else f"{minutes // 60}h"
    return budget


def _cron_days(days: tuple[Day, ...]) -> str:
    if len(days) == len(Day):
        return "*"
    return ",".join(str(number) for number in sorted((day + 1) % 7 for day in days))  # cron counts from Sunday


def _template(planned: PlannedNodePool, vocabulary: Vocabulary | None) -> Document:
    pool: Pool = planned.pool
    return {
        "metadata": {"labels": instruction_labels(planned, vocabulary)},
        "spec": {
            "nodeClassRef": node_class_ref(names.node_class(pool.name)),
            "requirements": [
                requirement(keys.INSTANCE_TYPE, *(instance_type.name for instance_type in planned.types)),
                requirement(keys.CAPACITY_TYPE, planned.market.market.value),
                requirement(keys.ZONE, *planned.zones),
                requirement(keys.ARCHITECTURE, *architectures(instance_type.name for instance_type in planned.types)),
                requirement(keys.OPERATING_SYSTEM, "linux"),
            ],
            "taints": [taint.as_document() for taint in planned.taints],
            "expireAfter": _expire_after(pool.expire_after_hours),
        },
    }


def _limits(planned: PlannedNodePool) -> dict[str, str]:
    """An elastic NodePool's ceiling in units that Karpenter counts: cards times the slices or shares of one card."""
    return {unit_resource(planned.pool): str(planned.ceiling_cards * planned.units_per_card)}


def _expire_after(hours: int | str) -> str:
    """An age in hours as Karpenter writes it."""
    return f"{hours}h" if isinstance(hours, int) else _NEVER


def _nodepool(pool: CpuPool | NeuronPool, zones: tuple[str, ...], ceiling: dict[str, str]) -> Document:
    taints = taints_without_cards(pool)
    spec: Document = {
        "nodeClassRef": node_class_ref(names.node_class(pool.name)),
        "requirements": [
            requirement(keys.INSTANCE_TYPE, *pool.instance_types),
            requirement(keys.CAPACITY_TYPE, *(market.value for market in pool.markets)),
            requirement(keys.ZONE, *zones),
            requirement(keys.ARCHITECTURE, *architectures(pool.instance_types)),
            requirement(keys.OPERATING_SYSTEM, "linux"),
        ],
    }
    if taints:
        spec["taints"] = [taint.as_document() for taint in taints]
    spec["expireAfter"] = _expire_after(pool.expire_after_hours)
    return kubernetes_object(
        API_VERSION,
        "NodePool",
        pool.name,
        spec={"template": {"spec": spec}, "limits": ceiling, "disruption": disruption_block(pool.disruption)},
    )


def _overlay(planned: PlannedNodePool, cards: int, types: list[InstanceType], several: bool) -> Document:
    requirements = [requirement(keys.NODEPOOL, planned.name)]
    if several:
        requirements.append(requirement(keys.INSTANCE_TYPE, *(instance_type.name for instance_type in types)))
    name = f"{planned.name}-{cards}-cards" if several else planned.name
    return kubernetes_object(
        _OVERLAY_API_VERSION,
        "NodeOverlay",
        name,
        spec={"requirements": requirements, "capacity": _capacity(planned, cards)},
    )


def _capacity(planned: PlannedNodePool, cards: int) -> dict[str, str]:
    """The resources that a node with so many cards offers."""
    units = str(cards * planned.units_per_card)
    if mig_profile(planned.pool) is None:
        return {resources.GPU: units}
    return {resources.GPU: "0", unit_resource(planned.pool): units}
