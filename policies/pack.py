"""The policy pack: every rule, in reading order, ready for the engine."""

from __future__ import annotations

from pulumi_policy import Policy

from policies.engine import policies_of
from policies.rules import RULES, STACK_RULES

NAME = "gpu-platform"

POLICIES: list[Policy] = policies_of(RULES, STACK_RULES)

__all__ = ["NAME", "POLICIES", "RULES", "STACK_RULES"]
