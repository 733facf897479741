"""What a change of settings does to the bill: which lines move, by how much, and why."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gpuplatform.proofs.cost.bill import Bill, Line, bill
from gpuplatform.settings.draft import of_settings
from gpuplatform.settings.plan import PlannedNodePool, plan
from gpuplatform.settings.settings import Settings

_CENT = 0.005


@dataclass(frozen=True, slots=True)
class Moved:
    """One line that costs something else; None where it was not there, or is no more."""

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
    """Line by line, in the order of the new bill and then what went away."""
    before, after = bill(of_settings(was)), bill(of_settings(now))
    assert before is not None, "accepted settings have a region and limits"
    assert after is not None, "accepted settings have a region and limits"
    old, new = ({each.name: each for each in one.lines} for one in (before, after))
    pools_was, pools_now = ({each.name: each for each in plan(one.pools, one.network.zones)} for one in (was, now))
    everywhere = tuple(_assumptions(was, now))
    moved = [
        Moved(
            name,
            old.get(name),
            new.get(name),
            tuple(_reasons(pools_was.get(name), pools_now.get(name))) + everywhere
            if name in old and name in new
            else (),
        )
        for name in dict.fromkeys((*new, *old))
        if _differs(old.get(name), new.get(name))
    ]
    return Difference(before, after, tuple(moved))


def _differs(was: Line | None, now: Line | None) -> bool:
    if was is None or now is None:
        return True
    pairs = (
        (was.floor_usd_per_hour, now.floor_usd_per_hour),
        (was.expected_usd_per_hour, now.expected_usd_per_hour),
        (was.ceiling_usd_per_hour, now.ceiling_usd_per_hour),
    )
    return any(abs(one - other) > _CENT for one, other in pairs)


def _reasons(was: PlannedNodePool | None, now: PlannedNodePool | None) -> Iterator[str]:
    if was is None or now is None:
        return
    pairs: tuple[tuple[str, object, object], ...] = (
        ("ceiling_cards", was.ceiling_cards, now.ceiling_cards),
        ("nodes", was.replicas, now.replicas),
        ("instance_types", ", ".join(each.name for each in was.types), ", ".join(each.name for each in now.types)),
        ("expected_use_percent", was.pool.expected_use_percent, now.pool.expected_use_percent),
        ("node_class", _volume(was), _volume(now)),
    )
    yield from (f"{name} {one} → {other}" for name, one, other in pairs if one != other)


def _volume(planned: PlannedNodePool) -> str:
    chosen = planned.pool.node_class
    return f"{chosen.root_volume_gib} GiB, {chosen.root_volume_iops} IOPS, {chosen.root_volume_throughput_mib_s} MiB/s"


def _assumptions(was: Settings, now: Settings) -> Iterator[str]:
    """What moves every line alike."""
    pairs: tuple[tuple[str, object, object], ...] = (
        ("region", was.region, now.region),
        ("cost.spot_price_ratio", was.cost.spot_price_ratio, now.cost.spot_price_ratio),
        ("cost.expected_use_percent", was.cost.expected_use_percent, now.cost.expected_use_percent),
        ("cost.prices", _own_prices(was), _own_prices(now)),
    )
    yield from (f"{name} {one} → {other}" for name, one, other in pairs if one != other)


def _own_prices(settings: Settings) -> str:
    return ", ".join(f"{each.instance_type} {each.usd_per_hour}" for each in settings.cost.prices) or "none"
