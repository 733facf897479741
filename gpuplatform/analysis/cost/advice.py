"""The market that suits each kind of work, and the saving for a stack's pools (the Karpenter guide's decision tree)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gpuplatform.analysis.cost.bill import Bill
from gpuplatform.catalog.service_prices import HOURS_PER_MONTH
from gpuplatform.plan.node_pools import PlannedNodePool, plan
from gpuplatform.settings.settings import Settings
from gpuplatform.standard.labels import Purpose
from gpuplatform.standard.markets import Market


@dataclass(frozen=True, slots=True)
class Branch:
    """One branch of the tree."""

    work: str
    purpose: Purpose
    markets: str
    why: str


TREE: tuple[Branch, ...] = (
    Branch(
        "inference that keeps no state",
        Purpose.INFER,
        "spot first, on demand behind it",
        "a replica that is interrupted is replaced within minutes, and the others answer meanwhile",
    ),
    Branch(
        "a model that takes long to load, or must answer always",
        Purpose.INFER,
        "on demand, in a pool of its own behind a taint",
        "every interruption costs the time to load it again",
    ),
    Branch(
        "fine-tuning of some hours",
        Purpose.TRAIN,
        "spot with checkpoints, in a pool of its own",
        "an interruption loses only the time since the last checkpoint",
    ),
    Branch(
        "training of days, or on several nodes",
        Purpose.TRAIN,
        "a reservation first, on demand behind it",
        "one lost node stops all of them, and large types are often not to be had",
    ),
    Branch(
        "batches, notebooks, trials",
        Purpose.DEV,
        "spot alone",
        "it can wait, and start again",
    ),
)


@dataclass(frozen=True, slots=True)
class CostAdvice:
    """A cheaper or safer choice for one pool."""

    pool: str
    says: str


def advice(settings: Settings, stack_bill: Bill) -> tuple[CostAdvice, ...]:
    """Advice for each pool whose markets differ from its branch of the tree; empty where none does."""
    planned = plan(settings.pools, settings.network.zones)
    by_pool: dict[str, list[PlannedNodePool]] = {}
    for node_pool in planned:
        by_pool.setdefault(node_pool.pool.name, []).append(node_pool)
    return tuple(
        CostAdvice(name, says) for name, pools in by_pool.items() for says in _of_pool(settings, pools, stack_bill)
    )


def _of_pool(settings: Settings, planned: Sequence[PlannedNodePool], stack_bill: Bill) -> Iterator[str]:
    pool, markets = planned[0].pool, {node_pool.market.market for node_pool in planned}
    if pool.nodes is not None:
        return
    names = {node_pool.name for node_pool in planned}
    on_demand = sum(line.on_demand_usd_per_hour for line in stack_bill.lines if line.name in names) * HOURS_PER_MONTH
    saving = on_demand * (1 - settings.cost.spot_price_ratio)
    if pool.purpose is Purpose.INFER and Market.SPOT not in markets and not pool.taints:
        yield (
            f"buys no spot: where its work keeps no state, spot before on demand saves up to ${saving:,.0f} a month"
            " at the ceiling; where it must not be interrupted, give the pool a taint"
        )
    if pool.purpose is Purpose.DEV and Market.ON_DEMAND in markets:
        on_demand_names = [node_pool.name for node_pool in planned if node_pool.market.market is Market.ON_DEMAND]
        on_demand_usd = (
            sum(line.ceiling_usd_per_hour for line in stack_bill.lines if line.name in on_demand_names)
            * HOURS_PER_MONTH
        )
        yield (
            "has on demand behind spot: trials can wait for spot;"
            f" without on demand the ceiling costs up to ${on_demand_usd:,.0f} a month less"
        )
    has_large_nodes = max(instance_type.cards for node_pool in planned for instance_type in node_pool.types) > 1
    if pool.purpose is Purpose.TRAIN and has_large_nodes and Market.RESERVED not in markets:
        yield "trains on large nodes without a reservation: AWS may have none when a job starts"
