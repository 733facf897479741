"""The rules, one concern a file, in the order in which the reference lists them."""

from __future__ import annotations

from policies.change_rule import ChangeRule
from policies.rule import Rule, StackRule
from policies.rules import (
    architectures,
    bindings,
    bounds,
    budgets,
    capacity,
    cluster,
    cost,
    device_claims,
    fixed,
    identity,
    karpenter_values,
    labels,
    ladder,
    launch_templates,
    network,
    node_classes,
    node_groups,
    node_pools,
    operator_objects,
    operator_values,
    overlays,
    pods,
    priorities,
    protection,
    quotas,
    sharing,
    taints,
    tenancy,
    tenant_pools,
)
from policies.view_rule import ViewRule

RULES: tuple[Rule, ...] = (
    *labels.RULES,
    *taints.RULES,
    *architectures.RULES,
    *node_pools.RULES,
    *budgets.RULES,
    *ladder.RULES,
    *protection.RULES,
    *node_classes.RULES,
    *node_groups.RULES,
    *launch_templates.RULES,
    *sharing.RULES,
    *overlays.RULES,
    *quotas.RULES,
    *operator_values.RULES,
    *operator_objects.RULES,
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
    *ladder.STACK_RULES,
    *sharing.STACK_RULES,
    *overlays.STACK_RULES,
    *quotas.STACK_RULES,
    *operator_values.STACK_RULES,
    *karpenter_values.STACK_RULES,
    *tenancy.STACK_RULES,
    *bindings.STACK_RULES,
    *bounds.STACK_RULES,
    *capacity.STACK_RULES,
    *tenant_pools.STACK_RULES,
    *cost.STACK_RULES,
    *pods.STACK_RULES,
)
"""Rules about things that only make sense together."""

VIEW_RULES: tuple[ViewRule, ...] = pods.VIEW_RULES
"""Rules about one thing in a stack that somebody names; the policy engine does not run them."""

CHANGE_RULES: tuple[ChangeRule, ...] = fixed.CHANGE_RULES
"""Rules about what an object was and what it becomes; the policy engine sees no earlier state."""

__all__ = ["CHANGE_RULES", "RULES", "STACK_RULES", "VIEW_RULES"]
