"""What a stack publishes for other teams: one typed, versioned document, and its parser from a plain mapping.

A reader that was written for version 1 keeps working while the major number is 1; keys are only added.
"""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import ValidationError

from gpuplatform.analysis.capacity import CapacityLine, capacity_lines
from gpuplatform.analysis.cost import bill
from gpuplatform.faults import Fault
from gpuplatform.plan.node_pools import PlannedNodePool, plan, unit_resource
from gpuplatform.render.block import block
from gpuplatform.settings.partial import of_settings
from gpuplatform.settings.settings import Settings
from gpuplatform.tenant_outputs import Output, TenantOutput, tenant_output

VERSION = 1
"""Incremented when a key is removed or changes its meaning."""
ENDPOINT = "cluster_endpoint"
"""The document's one key that only the cloud knows."""
OUTPUT_NAME = "platform"
"""The stack output that carries the document; ``kubeconfig`` is a separate, secret output."""


class NodePoolOutput(Output):
    """One NodePool of a pool."""

    name: str
    card: str
    market: str
    ceiling_cards: int
    instance_types: tuple[str, ...]
    labels: dict[str, str]


class TolerationOutput(Output):
    """A toleration as Kubernetes writes it."""

    key: str
    operator: str
    value: str | None = None
    effect: str | None = None


class PoolOutput(Output):
    """A pool, and what a pod specifies to land on it."""

    name: str
    purpose: str
    role: str
    node_pools: tuple[NodePoolOutput, ...]
    selection: dict[str, str]
    """Node labels for a pod's ``nodeSelector``."""
    taints: tuple[str, ...]
    """As ``kubectl taint`` writes them: ``key=value:effect``."""
    tolerations: tuple[TolerationOutput, ...]
    resource: str
    """The resource of which a pod requests one, unless it claims a card."""
    claim_template: str | None = None
    """The ResourceClaimTemplate that a pod names instead, where the pool's cards are claimed."""
    ceiling_cards: int


class GuaranteeOutput(Output):
    """How much of one resource a namespace is guaranteed."""

    tenant: str
    namespace: str
    amount: int
    pools: tuple[str, ...] | None = None
    """The pools that the namespace may use; None where an older release published the document."""


class CapacityOutput(Output):
    """How much of one resource teams are guaranteed on pools that they share, and how much the pools can have."""

    resource: str
    pools: dict[str, int]
    """Units of the resource that each pool offers at its ceiling."""
    guaranteed: tuple[GuaranteeOutput, ...]
    allowed_ratio: float
    """The most that may be guaranteed, as a multiple of what the pools can have."""


class CostOutput(Output):
    """The bill by list prices, and its limits."""

    monthly_floor_usd: float
    monthly_expected_usd: float
    monthly_ceiling_usd: float
    monthly_floor_limit_usd: int
    monthly_budget_usd: int


class PlatformOutputs(Output):
    """The whole document."""

    version: int
    environment: str
    region: str
    cluster_name: str
    cluster_endpoint: str
    pools: tuple[PoolOutput, ...]
    tenants: tuple[TenantOutput, ...]
    cost: CostOutput | None = None
    """None where an older release published the document."""
    capacity: tuple[CapacityOutput, ...] = ()

    def pool(self, name: str) -> PoolOutput | None:
        """The pool of that name, or None."""
        return next((pool for pool in self.pools if pool.name == name), None)

    def as_plain(self) -> dict[str, object]:
        """The document as plain data, for a stack output."""
        return self.model_dump(mode="json", exclude_none=True)


def describe(settings: Settings, cluster_endpoint: str) -> PlatformOutputs:
    """The document of a stack. The endpoint is a parameter, because only the cloud knows it."""
    planned = plan(settings.pools, settings.network.zones)
    return PlatformOutputs(
        version=VERSION,
        environment=settings.environment,
        region=settings.region,
        cluster_name=settings.cluster.name,
        cluster_endpoint=cluster_endpoint,
        pools=tuple(
            _pool([node_pool for node_pool in planned if node_pool.pool.name == pool.name]) for pool in settings.pools
        ),
        tenants=tuple(tenant_output(tenant, settings) for tenant in settings.tenants),
        cost=_cost(settings),
        capacity=tuple(_capacity(line, settings) for line in capacity_lines(of_settings(settings))),
    )


def _capacity(line: CapacityLine, settings: Settings) -> CapacityOutput:
    return CapacityOutput(
        resource=line.resource,
        pools={offer.pool: offer.units for offer in line.offers},
        guaranteed=tuple(
            GuaranteeOutput(tenant=claim.tenant, namespace=claim.namespace, amount=claim.amount, pools=claim.pools)
            for claim in line.claims
        ),
        allowed_ratio=settings.queues.overcommit_ratio,
    )


def _cost(settings: Settings) -> CostOutput:
    total = bill(of_settings(settings))
    assert total is not None, "accepted settings have a region and limits"
    return CostOutput(
        monthly_floor_usd=round(total.floor_usd_per_month, 2),
        monthly_expected_usd=round(total.expected_usd_per_month, 2),
        monthly_ceiling_usd=round(total.ceiling_usd_per_month, 2),
        monthly_floor_limit_usd=settings.cost.monthly_floor_limit_usd,
        monthly_budget_usd=settings.cost.monthly_budget_usd,
    )


def _pool(planned: list[PlannedNodePool]) -> PoolOutput:
    pool = planned[0].pool
    pasted = block(pool)
    return PoolOutput(
        name=pool.name,
        purpose=pool.purpose.value,
        role=pool.role.value,
        node_pools=tuple(
            NodePoolOutput(
                name=node_pool.name,
                card=node_pool.card.name,
                market=node_pool.market.market.value,
                ceiling_cards=node_pool.ceiling_cards,
                instance_types=tuple(instance_type.name for instance_type in node_pool.types),
                labels=node_pool.labels,
            )
            for node_pool in planned
        ),
        selection=pasted.node_selector,
        taints=tuple(f"{taint.key}={taint.value}:{taint.effect.value}" for taint in planned[0].taints),
        tolerations=tuple(TolerationOutput.model_validate(toleration) for toleration in pasted.tolerations),
        resource=unit_resource(pool),
        claim_template=pasted.claim_template,
        ceiling_cards=sum(node_pool.ceiling_cards for node_pool in planned),
    )


def parse(document: Mapping[str, object], where: str = OUTPUT_NAME) -> tuple[PlatformOutputs | None, list[Fault]]:
    """The document as another team reads it, or None with the faults that keep it from being read."""
    version = document.get("version")
    if isinstance(version, bool) or version != VERSION:
        return None, [
            Fault(f"{where}.version", repr(version), str(VERSION), "use the reader of the platform's own release")
        ]
    try:
        return PlatformOutputs.model_validate(dict(document)), []
    except ValidationError as error:
        return None, [
            Fault(
                f"{where}.{'.'.join(map(str, error_details['loc']))}",
                repr(error_details["input"]),
                error_details["msg"],
                "publish it again",
            )
            for error_details in error.errors()
        ]
