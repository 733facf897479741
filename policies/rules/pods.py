"""Every rule about pods, in reading order."""

from __future__ import annotations

from policies.rule import Rule, StackRule
from policies.rules import (
    pod_defaults,
    pod_devices,
    pod_escape,
    pod_host,
    pod_jobs,
    pod_pools,
    pod_queue,
    pod_requests,
    pod_selection,
    pod_spread,
    pod_stack,
    pod_tokens,
)
from policies.view_rule import ViewRule

RULES: tuple[Rule, ...] = (
    *pod_requests.RULES,
    *pod_selection.RULES,
    *pod_escape.RULES,
    *pod_devices.RULES,
    *pod_host.RULES,
    *pod_spread.RULES,
    *pod_tokens.RULES,
    *pod_jobs.RULES,
)
STACK_RULES: tuple[StackRule, ...] = pod_jobs.STACK_RULES
VIEW_RULES: tuple[ViewRule, ...] = (
    *pod_stack.VIEW_RULES,
    *pod_pools.VIEW_RULES,
    *pod_escape.VIEW_RULES,
    *pod_queue.VIEW_RULES,
    *pod_defaults.VIEW_RULES,
)
"""Rules that need a stack's pools and namespaces; the policy engine does not run them."""
