"""Reads the options of ``gpuplatform simulate``: missing EC2 capacity, a disturbance, and the time."""

from __future__ import annotations

import datetime
import re
import zoneinfo

import click

from gpuplatform.catalog.instance_types import instance_types
from gpuplatform.settings.settings import Settings
from gpuplatform.standard.markets import Market
from sandbox.simulate.scenario import Disturbance, Shock, Shortage

_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_AT = re.compile(rf"(?P<day>{'|'.join(_DAYS)}) (?P<hour>\d\d?):(?P<minute>\d\d)( (?P<zone>\S+))?", re.ASCII)
_MARKETS = (Market.SPOT.value, Market.ON_DEMAND.value)


def shortages(text: str, settings: Settings) -> tuple[Shortage, ...]:
    """``g5,us-east-1a,spot``: types, families, zones or markets that EC2 has run out of, each independently."""
    result: list[Shortage] = []
    for name in filter(None, (part.strip() for part in text.split(","))):
        family = [instance_type for instance_type in instance_types() if instance_type.partition(".")[0] == name]
        if name in settings.network.zones:
            result.append(Shortage(zone=name))
        elif name in _MARKETS:
            result.append(Shortage(market=name))
        elif name in instance_types():
            result.append(Shortage(instance_type=name))
        elif family:
            result += [Shortage(instance_type=instance_type) for instance_type in family]
        else:
            raise click.BadParameter(
                f"{name!r} is not an instance type or a family of the catalog, a zone"
                f" ({', '.join(settings.network.zones)}) or a market ({', '.join(_MARKETS)})",
                param_hint="--without",
            )
    return tuple(result)


def event(interrupt: str | None, drift: str | None, settings: Settings) -> Disturbance | None:
    """The disturbance of a pool's nodes; wrong usage if the pool does not exist, or has no spot nodes to interrupt."""
    if interrupt is not None and drift is not None:
        raise click.UsageError("give --interrupt or --drift, not both: one run shows one event")
    name, shock, option = (
        (interrupt, Shock.INTERRUPTION, "--interrupt") if interrupt else (drift, Shock.DRIFT, "--drift")
    )
    if name is None:
        return None
    pool = next((pool for pool in settings.pools if pool.name == name), None)
    if pool is None:
        pool_names = ", ".join(pool.name for pool in settings.pools)
        raise click.BadParameter(
            f"{name!r} is not a pool of {settings.environment}; its pools: {pool_names}", param_hint=option
        )
    on_spot = any(market.market is Market.SPOT for choice in pool.cards for market in choice.markets)
    if shock is Shock.INTERRUPTION and not on_spot:
        raise click.BadParameter(f"the pool {name} has no spot nodes, so EC2 does not interrupt it", param_hint=option)
    return Disturbance(shock, name)


def moment(text: str, now: datetime.datetime) -> datetime.datetime:
    """``Tue 10:30 Asia/Seoul``: the next such minute after ``now``; UTC if no zone is named."""
    match = _AT.fullmatch(text.strip())
    if match is None:
        raise click.BadParameter(
            f"{text!r} is not a time of the week; write a day ({', '.join(_DAYS)}), a time and a zone, as in"
            " 'Tue 10:30 Asia/Seoul'",
            param_hint="--at",
        )
    try:
        zone = zoneinfo.ZoneInfo(match["zone"] or "UTC")
        local = now.astimezone(zone)
        moment_in_zone = local.replace(hour=int(match["hour"]), minute=int(match["minute"]), second=0, microsecond=0)
    except (ValueError, zoneinfo.ZoneInfoNotFoundError, OSError) as error:
        raise click.BadParameter(f"{text!r}: {error}", param_hint="--at") from None
    days = (_DAYS.index(match["day"]) - local.weekday()) % len(_DAYS)
    moment_in_zone += datetime.timedelta(days=days)
    return moment_in_zone if moment_in_zone > local else moment_in_zone + datetime.timedelta(days=len(_DAYS))
