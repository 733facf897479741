"""Every tested way to break a rule: the rule, the broken documents, and the expected words of the message."""

from __future__ import annotations

from tests.policies.corpus import capacity, cloud, cost, escapes, nodes, pods, pools, tenant_pools, tenants
from tests.policies.harness import Case

CASES: tuple[Case, ...] = (
    *pools.CASES,
    *nodes.CASES,
    *tenants.CASES,
    *tenant_pools.CASES,
    *pods.CASES,
    *escapes.CASES,
    *capacity.CASES,
    *cost.CASES,
    *cloud.CASES,
)
