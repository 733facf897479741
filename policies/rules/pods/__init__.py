"""The rules about pods, one topic per file, in the order of the reference."""

from __future__ import annotations

from policies.rule import Rule, StackRule, ViewRule
from policies.rules.pods import devices, escape, host, jobs, pools, queue, requests, selection, spread, stack, tokens

RULES: tuple[Rule, ...] = (
    *requests.RULES,
    *selection.RULES,
    *escape.RULES,
    *devices.RULES,
    *host.RULES,
    *spread.RULES,
    *tokens.RULES,
    *jobs.RULES,
)
STACK_RULES: tuple[StackRule, ...] = jobs.STACK_RULES
VIEW_RULES: tuple[ViewRule, ...] = (
    *stack.VIEW_RULES,
    *pools.VIEW_RULES,
    *escape.VIEW_RULES,
    *queue.VIEW_RULES,
    *requests.VIEW_RULES,
)
"""Rules that need a stack's pools and namespaces; the policy engine does not run them."""
