"""What a stack tells other teams: one typed, versioned document, and its parser from a plain mapping (E7).

A reader that was written for version 1 goes on working while the major number is 1; keys are only added.
"""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import ValidationError

from gpuplatform.faults import Fault
from gpuplatform.proofs.capacity import CapacityLine, capacity_lines
from gpuplatform.proofs.cost import bill
from gpuplatform.render.block import block
from gpuplatform.settings.draft import of_settings
from gpuplatform.settings.plan import PlannedNodePool, plan, unit_resource
from gpuplatform.settings.settings import Settings
from gpuplatform.tenant_outputs import Output, TenantOutput, tenant_output

VERSION = 1
"""Raised when a key changes its meaning or goes away."""
ENDPOINT = "cluster_endpoint"
"""The document's one key that only the cloud knows."""
OUTPUT_NAME = "platform"
"""The stack output that carries the document; ``kubeconfig`` is a secret output of its own."""


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
    """A pool, and what a pod says to land on it."""

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
    """What a pod requests one of, unless it claims it."""
    claim_template: str | None = None
    """Where the pool's cards are claimed: the ResourceClaimTemplate that a pod names instead."""
    ceiling_cards: int


class GuaranteeOutput(Output):
    """What a namespace is guaranteed of the resource of its line."""

    tenant: str
    namespace: str
    amount: int
    pools: tuple[str, ...] | None = None
    """Those of the line that it is meant for; an older release did not say."""


class CapacityOutput(Output):
    """What teams are guaranteed of one resource on pools that they share, and what there can be of it."""

    resource: str
    pools: dict[str, int]
    """What each pool can have at its ceiling, in units of the resource."""
    guaranteed: tuple[GuaranteeOutput, ...]
    allowed_ratio: float
    """The most that may be guaranteed, as a multiple of what there can be."""


class CostOutput(Output):
    """The bill by list prices, and what it is held to."""

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
    """The document of a stack; the endpoint is the one thing that only the cloud knows."""
    planned = plan(settings.pools, settings.network.zones)
    return PlatformOutputs(
        version=VERSION,
        environment=settings.environment,
        region=settings.region,
        cluster_name=settings.cluster.name,
        cluster_endpoint=cluster_endpoint,
        pools=tuple(_pool([each for each in planned if each.pool.name == pool.name]) for pool in settings.pools),
        tenants=tuple(tenant_output(each, settings) for each in settings.tenants),
        cost=_cost(settings),
        capacity=tuple(_capacity(line, settings) for line in capacity_lines(of_settings(settings))),
    )


def _capacity(line: CapacityLine, settings: Settings) -> CapacityOutput:
    return CapacityOutput(
        resource=line.resource,
        pools={each.pool: each.units for each in line.offers},
        guaranteed=tuple(
            GuaranteeOutput(tenant=each.tenant, namespace=each.namespace, amount=each.amount, pools=each.pools)
            for each in line.claims
        ),
        allowed_ratio=settings.queues.overcommit_ratio,
    )


def _cost(settings: Settings) -> CostOutput:
    whole = bill(of_settings(settings))
    assert whole is not None, "accepted settings have a region and limits"
    return CostOutput(
        monthly_floor_usd=round(whole.floor_usd_per_month, 2),
        monthly_expected_usd=round(whole.expected_usd_per_month, 2),
        monthly_ceiling_usd=round(whole.ceiling_usd_per_month, 2),
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
                name=each.name,
                card=each.card.name,
                market=each.market.market.value,
                ceiling_cards=each.ceiling_cards,
                instance_types=tuple(one.name for one in each.types),
                labels=each.labels,
            )
            for each in planned
        ),
        selection=pasted.node_selector,
        taints=tuple(f"{taint.key}={taint.value}:{taint.effect.value}" for taint in planned[0].taints),
        tolerations=tuple(TolerationOutput.model_validate(each) for each in pasted.tolerations),
        resource=unit_resource(pool),
        claim_template=pasted.claim_template,
        ceiling_cards=sum(each.ceiling_cards for each in planned),
    )


def parse(document: Mapping[str, object], where: str = OUTPUT_NAME) -> tuple[PlatformOutputs | None, list[Fault]]:
    """The document as another team reads it, and why it cannot be read."""
    version = document.get("version")
    if isinstance(version, bool) or version != VERSION:
        return None, [
            Fault(f"{where}.version", repr(version), str(VERSION), "use the reader of the platform's own release")
        ]
    try:
        return PlatformOutputs.model_validate(dict(document)), []
    except ValidationError as error:
        return None, [
            Fault(f"{where}.{'.'.join(map(str, each['loc']))}", repr(each["input"]), each["msg"], "publish it again")
            for each in error.errors()
        ]
