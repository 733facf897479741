"""Tables for a terminal: columns of equal width, figures to the right."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gpuplatform.analysis.cost import bill
from gpuplatform.plan.node_pools import PlannedNodePool, plan, unit_resource
from gpuplatform.plan.prices import Prices, price_range_usd_per_hour
from gpuplatform.plan.teams import names_of_pools
from gpuplatform.settings.partial import of_settings
from gpuplatform.settings.settings import Settings
from gpuplatform.standard import labels

_BETWEEN_DIGITS = str.maketrans("", "", ",.- →")


def aligned(rows: Sequence[Sequence[str]], indent: str = "") -> list[str]:
    """One line a row, cells two spaces apart; a figure such as ``1,200`` or ``0.25`` is aligned to the right."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return [
        (indent + "  ".join(_cell(cell, width) for cell, width in zip(row, widths, strict=True))).rstrip()
        for row in rows
    ]


def _cell(cell: str, width: int) -> str:
    is_figure = cell.translate(_BETWEEN_DIGITS).isdecimal()
    return cell.rjust(width) if is_figure else cell.ljust(width)


def summary(settings: Settings) -> list[str]:
    """The page, line by line, in 100 columns if the names are short enough."""
    planned = plan(settings.pools, settings.network.zones)
    prices = Prices(settings.region, settings.cost)
    return [
        f"{settings.environment}: cluster {settings.cluster.name} in {settings.region}",
        "",
        *_pools(settings, planned, prices),
        "",
        *_others(settings),
        *_tenants(settings),
        "",
        *_bill(settings),
    ]


def _pools(settings: Settings, planned: Sequence[PlannedNodePool], prices: Prices) -> list[str]:
    rows = [("NODEPOOL", "WEIGHT", "CEILING", "OFFERS", "USD/H A NODE")]
    lines: list[str] = []
    for pool in settings.pools:
        node_pools = [node_pool for node_pool in planned if node_pool.pool.name == pool.name]
        rows += [_row(node_pool, prices) for node_pool in node_pools]
    header, *body = aligned(rows, indent="  ")
    lines.append(header)
    position = 0
    for pool in settings.pools:
        count = sum(node_pool.pool.name == pool.name for node_pool in planned)
        shown = " ".join(f"{key}={value}" for key, value in _level_labels(planned[position]).items())
        lines.append(f"pool {pool.name}: {shown}")
        lines += body[position : position + count]
        position += count
    return lines


def _level_labels(planned: PlannedNodePool) -> dict[str, str]:
    shown = (labels.PURPOSE, labels.ROLE, labels.MIG, labels.MIG_PROFILE)
    return {label.key: planned.labels[label.key] for label in shown if label.key in planned.labels}


def _row(planned: PlannedNodePool, prices: Prices) -> tuple[str, str, str, str, str]:
    ceiling = f"{planned.ceiling_cards} {_plural(planned.ceiling_cards, 'card')}"
    weight = "static" if planned.weight is None else str(planned.weight)
    if planned.replicas is not None:
        # A static pool replaces a node by adding one first.
        ceiling += f" (+{planned.ceiling_cards // max(1, planned.replicas)} while one is replaced)"
    offers = f"{planned.units_per_card} {unit_resource(planned.pool)} a card"
    if planned.pool.dra:
        offers += ", by claim"
    usd_range = price_range_usd_per_hour(planned, prices)
    cost = "unknown" if usd_range is None else _range(*usd_range)
    return planned.name, weight, ceiling, offers, cost


def _range(low: float, high: float) -> str:
    return f"{low:.3f}" if low == high else f"{low:.3f} to {high:.3f}"


def _plural(count: int, noun: str) -> str:
    return noun if count == 1 else f"{noun}s"


def _others(settings: Settings) -> list[str]:
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
    whole = bill(of_settings(settings))
    if whole is None:
        return []
    return [
        f"at rest ${whole.floor_usd_per_month:,.0f} a month;"
        f" with every ceiling reached ${whole.ceiling_usd_per_month:,.0f} a month",
    ]
