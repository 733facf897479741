"""Ways to publish other pools for teams than the API server enforces."""

from __future__ import annotations

from policies.rules.tenant_pools import TENANT_POOLS_PUBLISHED
from tests.policies.documents import GONE, Document, a_stack, but, the_admission_parameters
from tests.policies.harness import Case, case

_SERVING = ("platform", "tenants", 0, "namespaces", 0)


def _beside(pools: object) -> tuple[Document, Document]:
    """The stack, and a different ConfigMap for the API server."""
    return a_stack(), but(the_admission_parameters(), "data", "pools", pools)


CASES: tuple[Case, ...] = (
    case(
        TENANT_POOLS_PUBLISHED,
        "a guarantee on another team's pool",
        but(a_stack(), "platform", "capacity", 0, "guaranteed", 0, "pools", ["serve", "train-efa"]),
        "platform.capacity[0].guaranteed[0].pools: given a guarantee of ml-serving on train-efa",
        "pools that it may use: serve",
        "the namespace's `pools`",
    ),
    case(
        TENANT_POOLS_PUBLISHED,
        "a guarantee of a namespace that is not published",
        but(a_stack(), *_SERVING, "name", "ml-other"),
        "a guarantee of ml-serving on serve; allowed: pools that it may use: none",
    ),
    case(TENANT_POOLS_PUBLISHED, "no teams", but(a_stack(), "platform", "tenants", GONE), "platform.tenants"),
    case(TENANT_POOLS_PUBLISHED, "a team in words", but(a_stack(), *_SERVING[:-1], "one"), "with its namespaces"),
    case(
        TENANT_POOLS_PUBLISHED,
        "a namespace without pools",
        but(a_stack(), *_SERVING, "pools", GONE),
        "names of its pools",
    ),
    case(
        TENANT_POOLS_PUBLISHED,
        "the API server reads a pool more",
        _beside("ml-serving=serve,train\nml-trials=serve,train"),
        "data.pools: given ml-serving: serve, train; allowed: the pools that the stack publishes for ml-serving: serve",
        "one settings file",
    ),
    case(
        TENANT_POOLS_PUBLISHED,
        "the API server reads nothing of a namespace",
        _beside("ml-serving=serve"),
        "no pools for ml-trials",
    ),
    case(
        TENANT_POOLS_PUBLISHED,
        "the API server reads of a namespace that is no team's",
        _beside("ml-serving=serve\nml-trials=serve,train\nthieves=train"),
        "thieves: train; allowed: the pools that the stack publishes for thieves: none",
    ),
    case(TENANT_POOLS_PUBLISHED, "the API server reads of no pools", _beside(GONE), "no pools for ml-serving"),
)
