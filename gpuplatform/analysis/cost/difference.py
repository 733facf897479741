"""The effect of a change of settings on the bill: which lines change, by how much, and why."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gpuplatform.analysis.cost.bill import Bill, Line, bill
from gpuplatform.plan.node_pools import PlannedNodePool, plan
from gpuplatform.settings.partial import of_settings
from gpuplatform.settings.settings import Settings

_CENT = 0.005


@dataclass(frozen=True, slots=True)
class Moved:
    """One line whose cost changes. ``was`` is None for a new line, ``now`` for a removed one."""

    name: str
    was: Line | None
    now: Line | None
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Difference:
    """Two bills of one stack."""

    was: Bill
    now: Bill
    moved: tuple[Moved, ...]


def difference(was: Settings, now: Settings) -> Difference:
    """The lines that change: in the order of the new bill, then the removed ones."""
    before, after = bill(of_settings(was)), bill(of_settings(now))
    assert before is not None, "accepted settings have a region and limits"
    assert after is not None, "accepted settings have a region and limits"
    lines_before, lines_after = ({line.name: line for line in stack_bill.lines} for stack_bill in (before, after))
    pools_was, pools_now = (
        {node_pool.name: node_pool for node_pool in plan(settings.pools, settings.network.zones)}
        for settings in (was, now)
    )
    everywhere = tuple(_assumptions(was, now))
    changes = [
        Moved(
            name,
            lines_before.get(name),
            lines_after.get(name),
            tuple(_reasons(pools_was.get(name), pools_now.get(name))) + everywhere
            if name in lines_before and name in lines_after
            else (),
        )
        for name in dict.fromkeys((*lines_after, *lines_before))
        if _differs(lines_before.get(name), lines_after.get(name))
    ]
    return Difference(before, after, tuple(changes))


def _differs(was: Line | None, now: Line | None) -> bool:
    if was is None or now is None:
        return True
    pairs = (
        (was.floor_usd_per_hour, now.floor_usd_per_hour),
        (was.expected_usd_per_hour, now.expected_usd_per_hour),
        (was.ceiling_usd_per_hour, now.ceiling_usd_per_hour),
    )
    return any(abs(before - after) > _CENT for before, after in pairs)


def _reasons(was: PlannedNodePool | None, now: PlannedNodePool | None) -> Iterator[str]:
    if was is None or now is None:
        return
    pairs: tuple[tuple[str, object, object], ...] = (
        ("ceiling_cards", was.ceiling_cards, now.ceiling_cards),
        ("nodes", was.replicas, now.replicas),
        (
            "instance_types",
            ", ".join(instance_type.name for instance_type in was.types),
            ", ".join(instance_type.name for instance_type in now.types),
        ),
        ("expected_use_percent", was.pool.expected_use_percent, now.pool.expected_use_percent),
        ("node_class", _volume(was), _volume(now)),
    )
    yield from (f"{name} {before} → {after}" for name, before, after in pairs if before != after)


def _volume(planned: PlannedNodePool) -> str:
    node_class = planned.pool.node_class
    throughput = f"{node_class.root_volume_throughput_mib_s} MiB/s"
    return f"{node_class.root_volume_gib} GiB, {node_class.root_volume_iops} IOPS, {throughput}"


def _assumptions(was: Settings, now: Settings) -> Iterator[str]:
    """Changes that affect every line."""
    pairs: tuple[tuple[str, object, object], ...] = (
        ("region", was.region, now.region),
        ("cost.spot_price_ratio", was.cost.spot_price_ratio, now.cost.spot_price_ratio),
        ("cost.expected_use_percent", was.cost.expected_use_percent, now.cost.expected_use_percent),
        ("cost.prices", _own_prices(was), _own_prices(now)),
    )
    yield from (f"{name} {before} → {after}" for name, before, after in pairs if before != after)


def _own_prices(settings: Settings) -> str:
    return ", ".join(f"{price.instance_type} {price.usd_per_hour}" for price in settings.cost.prices) or "none"
