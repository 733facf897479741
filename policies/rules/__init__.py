"""The rules, one topic per file, in the order of the reference."""

from __future__ import annotations

from policies.rule import ChangeRule, Rule, StackRule, ViewRule
from policies.rules import (
    architectures,
    bindings,
    budgets,
    capacity,
    cluster,
    cost,
    device_claims,
    identity,
    immutable_labels,
    karpenter_values,
    labels,
    network,
    node_classes,
    node_groups,
    node_pools,
    operator_values,
    overlays,
    pods,
    priorities,
    protection,
    quotas,
    sharing,
    taints,
    tenancy,
    tenant_limits,
    tenant_pools,
    weights,
)

RULES: tuple[Rule, ...] = (
    *labels.RULES,
    *taints.RULES,
    *architectures.RULES,
    *node_pools.RULES,
    *budgets.RULES,
    *weights.RULES,
    *protection.RULES,
    *node_classes.RULES,
    *node_groups.RULES,
    *sharing.RULES,
    *overlays.RULES,
    *quotas.RULES,
    *operator_values.RULES,
    *karpenter_values.RULES,
    *tenancy.RULES,
    *device_claims.RULES,
    *bindings.RULES,
    *priorities.RULES,
    *cluster.RULES,
    *identity.RULES,
    *network.RULES,
    *pods.RULES,
)
"""Rules about one thing at a time."""

STACK_RULES: tuple[StackRule, ...] = (
    *weights.STACK_RULES,
    *sharing.STACK_RULES,
    *overlays.STACK_RULES,
    *quotas.STACK_RULES,
    *operator_values.STACK_RULES,
    *karpenter_values.STACK_RULES,
    *tenancy.STACK_RULES,
    *bindings.STACK_RULES,
    *tenant_limits.STACK_RULES,
    *capacity.STACK_RULES,
    *tenant_pools.STACK_RULES,
    *cost.STACK_RULES,
    *pods.STACK_RULES,
)
"""Rules about several things together."""

VIEW_RULES: tuple[ViewRule, ...] = pods.VIEW_RULES
"""Rules about one thing in a named stack; the policy engine does not run them."""

CHANGE_RULES: tuple[ChangeRule, ...] = immutable_labels.CHANGE_RULES
"""Rules about an object before and after a change; the policy engine sees no earlier state."""

__all__ = ["CHANGE_RULES", "RULES", "STACK_RULES", "VIEW_RULES"]
