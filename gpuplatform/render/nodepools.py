"""Karpenter NodePools of the GPU pools (N1-N12): one for each card, market and, where static, zone."""

from __future__ import annotations

from typing import cast

from gpuplatform.render import sharing
from gpuplatform.render.budgets import budgets, disruption_block
from gpuplatform.render.document import Document, a
from gpuplatform.settings.plan import PlannedNodePool, architectures, mig_profile, unit_resource
from gpuplatform.settings.pools import Pool
from gpuplatform.standard import aliases, keys, names, resources
from gpuplatform.standard.aliases import Vocabulary

API_VERSION = "karpenter.sh/v1"
NEVER = "Never"


def nodepool(planned: PlannedNodePool, vocabulary: Vocabulary | None) -> Document:
    """One NodePool, its labels, taints, ceiling, order and protection."""
    spec: Document = {"template": _template(planned, vocabulary)}
    if planned.replicas is not None:
        # Static: no weight, and no limit but one node more than it has, or drift could never replace one.
        spec["replicas"] = planned.replicas
        spec["limits"] = {resources.NODES: str(planned.replicas + 1)}
        spec["disruption"] = {"consolidateAfter": NEVER, "budgets": budgets(planned.pool.disruption)}
    else:
        spec["weight"] = planned.weight
        spec["limits"] = limits(planned)
        spec["disruption"] = disruption_block(planned.pool.disruption)
    return a(API_VERSION, "NodePool", planned.name, spec=spec)


def limits(planned: PlannedNodePool) -> dict[str, str]:
    """An elastic NodePool's ceiling in what the autoscaler counts: cards times the slices or shares of one card."""
    return {unit_resource(planned.pool): str(planned.ceiling_cards * planned.units_per_card)}


def expire_after(hours: int | str) -> str:
    """An age in hours as Karpenter writes it."""
    return f"{hours}h" if isinstance(hours, int) else NEVER


def node_class_ref(name: str) -> dict[str, str]:
    """The reference from a NodePool to the EC2NodeClass of that name."""
    return {"group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": name}


def node_class_of(document: Document) -> str:
    """The name of the EC2NodeClass that a rendered NodePool launches from."""
    spec = cast(dict[str, dict[str, dict[str, dict[str, str]]]], document["spec"])
    return spec["template"]["spec"]["nodeClassRef"]["name"]


def requirement(key: str, *values: str) -> Document:
    """A NodePool requirement: the key is one of the values."""
    return {"key": key, "operator": "In", "values": list(values)}


def instruction_labels(planned: PlannedNodePool, vocabulary: Vocabulary | None) -> dict[str, str]:
    """The labels of a pool's nodes: the standard, an alias vocabulary, and what draws plugins and operands."""
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


def _template(planned: PlannedNodePool, vocabulary: Vocabulary | None) -> Document:
    pool: Pool = planned.pool
    return {
        "metadata": {"labels": instruction_labels(planned, vocabulary)},
        "spec": {
            "nodeClassRef": node_class_ref(names.node_class(pool.name)),
            "requirements": [
                requirement(keys.INSTANCE_TYPE, *(each.name for each in planned.types)),
                requirement(keys.CAPACITY_TYPE, planned.market.market.value),
                requirement(keys.ZONE, *planned.zones),
                requirement(keys.ARCHITECTURE, *architectures(each.name for each in planned.types)),
                requirement(keys.OPERATING_SYSTEM, "linux"),
            ],
            "taints": [taint.as_document() for taint in planned.taints],
            "expireAfter": expire_after(pool.expire_after_hours),
        },
    }
