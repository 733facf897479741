"""Every rule about pods, in reading order."""

from __future__ import annotations

from policies.rule import Rule, StackRule, ViewRule
from policies.rules.pods import defaults as pod_defaults
from policies.rules.pods import devices as pod_devices
from policies.rules.pods import escape as pod_escape
from policies.rules.pods import host as pod_host
from policies.rules.pods import jobs as pod_jobs
from policies.rules.pods import pools as pod_pools
from policies.rules.pods import queue as pod_queue
from policies.rules.pods import requests as pod_requests
from policies.rules.pods import selection as pod_selection
from policies.rules.pods import spread as pod_spread
from policies.rules.pods import stack as pod_stack
from policies.rules.pods import tokens as pod_tokens

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
