"""A stack on one page: its pools with labels, ceilings and prices, its tenants, and what it costs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from cli.text_table import text_table
from gpuplatform.analysis.cost import bill
from gpuplatform.plan.node_pools import PlannedNodePool, plan, unit_resource
from gpuplatform.plan.prices import Prices, price_range_usd_per_hour
from gpuplatform.plan.teams import names_of_pools
from gpuplatform.settings.partial import of_settings
from gpuplatform.settings.settings import Settings
from gpuplatform.standard import labels


def summary(settings: Settings) -> list[str]:
    """The page, line by line, in 100 columns if the names are short enough."""
    node_pools = plan(settings.pools, settings.network.zones)
    prices = Prices(settings.region, settings.cost)
    return [
        f"{settings.environment}: cluster {settings.cluster.name} in {settings.region}",
        "",
        *_pools(settings, node_pools, prices),
        "",
        *_other_pools(settings),
        *_tenants(settings),
        "",
        *_bill(settings),
    ]


def _pools(settings: Settings, node_pools: Sequence[PlannedNodePool], prices: Prices) -> list[str]:
    rows = [("NODEPOOL", "WEIGHT", "CEILING", "OFFERS", "USD/H A NODE")]
    lines: list[str] = []
    rows += [_row(node_pool, prices) for node_pool in node_pools]
    header, *body = text_table(rows, indent="  ")
    lines.append(header)
    position = 0
    for pool in settings.pools:
        count = sum(node_pool.pool.name == pool.name for node_pool in node_pools)
        label_texts = " ".join(f"{key}={value}" for key, value in _level_labels(node_pools[position]).items())
        lines.append(f"pool {pool.name}: {label_texts}")
        lines += body[position : position + count]
        position += count
    return lines


def _level_labels(node_pool: PlannedNodePool) -> dict[str, str]:
    level_labels = (labels.PURPOSE, labels.ROLE, labels.MIG, labels.MIG_PROFILE)
    return {label.key: node_pool.labels[label.key] for label in level_labels if label.key in node_pool.labels}


def _row(node_pool: PlannedNodePool, prices: Prices) -> tuple[str, str, str, str, str]:
    ceiling = f"{node_pool.ceiling_cards} {_plural(node_pool.ceiling_cards, 'card')}"
    weight = "static" if node_pool.weight is None else str(node_pool.weight)
    if node_pool.replicas is not None:
        # A static pool replaces a node by adding one first.
        ceiling += f" (+{node_pool.ceiling_cards // max(1, node_pool.replicas)} while one is replaced)"
    offers = f"{node_pool.units_per_card} {unit_resource(node_pool.pool)} a card"
    if node_pool.pool.dra:
        offers += ", by claim"
    usd_range = price_range_usd_per_hour(node_pool, prices)
    cost = "unknown" if usd_range is None else _range(*usd_range)
    return node_pool.name, weight, ceiling, offers, cost


def _range(low: float, high: float) -> str:
    return f"{low:.3f}" if low == high else f"{low:.3f} to {high:.3f}"


def _plural(count: int, noun: str) -> str:
    return noun if count == 1 else f"{noun}s"


def _other_pools(settings: Settings) -> list[str]:
    lines = [f"pool {pool.name}: CPU, {pool.ceiling_vcpus} vCPUs at most" for pool in settings.cpu_pools]
    lines += [f"pool {pool.name}: Neuron, {pool.ceiling_devices} devices at most" for pool in settings.neuron_pools]
    return lines


def _tenants(settings: Settings) -> Iterable[str]:
    for tenant in settings.tenants:
        for namespace in tenant.namespaces:
            quota = ", ".join(f"{amount} {resource}" for resource, amount in namespace.quota.items()) or "no cards"
            priorities = " or ".join(namespace.priorities)
            pools = ", ".join(names_of_pools(namespace, settings.pools, settings.neuron_pools)) or "none"
            yield (
                f"tenant {tenant.name} (team {tenant.team}): namespace {namespace.name}, {quota}, {priorities},"
                f" GPU and Neuron pools: {pools}"
            )


def _bill(settings: Settings) -> list[str]:
    stack_bill = bill(of_settings(settings))
    if stack_bill is None:
        return []
    return [
        f"at rest ${stack_bill.floor_usd_per_month:,.0f} a month;"
        f" with every ceiling reached ${stack_bill.ceiling_usd_per_month:,.0f} a month",
    ]
