"""What the options of ``gpuplatform simulate`` mean: what EC2 lacks, what happens, and when."""

from __future__ import annotations

import datetime
import re
import zoneinfo

import click

from gpuplatform.catalog.instance_types import instance_types
from gpuplatform.settings.settings import Settings
from gpuplatform.standard.markets import Market
from sandbox.simulate.question import Event, Lacking, Shock

_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_AT = re.compile(rf"(?P<day>{'|'.join(_DAYS)}) (?P<hour>\d\d?):(?P<minute>\d\d)( (?P<zone>\S+))?", re.ASCII)
_MARKETS = (Market.SPOT.value, Market.ON_DEMAND.value)


def lacking(written: str, settings: Settings) -> tuple[Lacking, ...]:
    """``g5,us-east-1a,spot``: types, families, zones and markets that EC2 has nothing of, each on its own."""
    found: list[Lacking] = []
    for word in filter(None, (each.strip() for each in written.split(","))):
        family = [each for each in instance_types() if each.partition(".")[0] == word]
        if word in settings.network.zones:
            found.append(Lacking(zone=word))
        elif word in _MARKETS:
            found.append(Lacking(market=word))
        elif word in instance_types():
            found.append(Lacking(instance_type=word))
        elif family:
            found += [Lacking(instance_type=each) for each in family]
        else:
            raise click.BadParameter(
                f"{word!r} is no instance type and no family of the catalogue, none of the zones"
                f" {', '.join(settings.network.zones)}, and none of {', '.join(_MARKETS)}",
                param_hint="--without",
            )
    return tuple(found)


def event(interrupted: str | None, drifted: str | None, settings: Settings) -> Event | None:
    """What happens to a pool's nodes; wrong usage where the pool is not there, or has no spot nodes to take."""
    if interrupted is not None and drifted is not None:
        raise click.UsageError("give --interrupt or --drift, not both: each is shown by itself")
    name, shock, option = (
        (interrupted, Shock.INTERRUPTION, "--interrupt") if interrupted else (drifted, Shock.DRIFT, "--drift")
    )
    if name is None:
        return None
    pool = next((each for each in settings.pools if each.name == name), None)
    if pool is None:
        known = ", ".join(each.name for each in settings.pools)
        raise click.BadParameter(
            f"{name!r} is no pool of {settings.environment}; its pools: {known}", param_hint=option
        )
    on_spot = any(each.market is Market.SPOT for choice in pool.cards for each in choice.markets)
    if shock is Shock.INTERRUPTION and not on_spot:
        raise click.BadParameter(f"the pool {name} buys nothing on spot: EC2 interrupts none of it", param_hint=option)
    return Event(shock, name)


def moment(written: str, now: datetime.datetime) -> datetime.datetime:
    """``Tue 10:30 Asia/Seoul``: the next such minute after ``now``; UTC where no zone is named."""
    found = _AT.fullmatch(written.strip())
    if found is None:
        raise click.BadParameter(
            f"{written!r} is no moment of a week; write a day ({', '.join(_DAYS)}), a time and a zone, as in"
            " 'Tue 10:30 Asia/Seoul'",
            param_hint="--at",
        )
    try:
        zone = zoneinfo.ZoneInfo(found["zone"] or "UTC")
        local = now.astimezone(zone)
        wanted = local.replace(hour=int(found["hour"]), minute=int(found["minute"]), second=0, microsecond=0)
    except (ValueError, zoneinfo.ZoneInfoNotFoundError, OSError) as error:
        raise click.BadParameter(f"{written!r}: {error}", param_hint="--at") from None
    days = (_DAYS.index(found["day"]) - local.weekday()) % len(_DAYS)
    wanted += datetime.timedelta(days=days)
    return wanted if wanted > local else wanted + datetime.timedelta(days=len(_DAYS))
