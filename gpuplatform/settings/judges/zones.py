"""The network's zones: of the region, each once, and none in which EKS makes no control plane."""

from __future__ import annotations

import string
from collections.abc import Sequence

from gpuplatform.faults import Fault, warning
from gpuplatform.settings.draft import Draft
from gpuplatform.settings.network import Network, Zone
from gpuplatform.standard.zones import WITHOUT_CONTROL_PLANE, zone_id_prefix

_LOOK = "aws ec2 describe-availability-zones"


def judge(draft: Draft) -> list[Fault]:
    """What is wrong with the zones that the network names."""
    network = draft.network
    if network is None:
        return []
    path, zones = _named(network)
    repeated = sorted({zone.name for zone in zones if [each.name for each in zones].count(zone.name) > 1})
    faults = [Fault(path, f"{zone} twice", "each zone once", "remove one") for zone in repeated if network.new]
    faults += _ids(path, zones)
    if draft.region:
        faults += _of_region(path, zones, draft.region)
        if not draft.lacks(path):
            faults += _without_ids(path, zones, draft.region)
    return faults


def _named(network: Network) -> tuple[str, Sequence[Zone]]:
    if network.new is not None:
        return "network.new.zones", network.new.zones
    subnets = network.existing.private_subnets if network.existing else ()
    return "network.existing.private_subnets", tuple(dict.fromkeys(subnet.zone for subnet in subnets))


def _ids(path: str, zones: Sequence[Zone]) -> list[Fault]:
    """One id for a zone, and one zone for an id."""
    names: dict[str, list[str]] = {}
    ids: dict[str, list[str]] = {}
    for zone in dict.fromkeys(zone for zone in zones if zone.id is not None):
        names.setdefault(str(zone.id), []).append(zone.name)
        ids.setdefault(zone.name, []).append(str(zone.id))
    same_id = [f"{' and '.join(each)}, both {id_}" for id_, each in names.items() if len(set(each)) > 1]
    same_zone = [f"{name}, both {' and '.join(zone_ids)}" for name, zone_ids in ids.items() if len(zone_ids) > 1]
    allowed = "one id for each zone, and one zone for each id"
    return [Fault(path, given, allowed, f"look the ids up: {_LOOK}") for given in (*same_id, *same_zone)]


def _of_region(path: str, zones: Sequence[Zone], region: str) -> list[Fault]:
    prefix, closed = zone_id_prefix(region), WITHOUT_CONTROL_PLANE.get(region)
    elsewhere = [
        name
        for name in dict.fromkeys(zone.name for zone in zones)
        if name != f"{region}{name[-1:]}" or name[-1:] not in string.ascii_lowercase
    ]
    faults = [Fault(path, name, f"zones of {region}", f"name a zone such as {region}a") for name in elsewhere]
    for zone in dict.fromkeys(zone for zone in zones if zone.name not in elsewhere):
        if zone.id is None:
            continue
        given = f"{zone.name} with the id {zone.id}"
        if prefix is not None and not zone.id.startswith(prefix):
            faults.append(Fault(path, given, f"ids of {region}, which begin with {prefix}", f"look it up: {_LOOK}"))
        if zone.id == closed:
            allowed = f"zones in which EKS makes control planes (EKS user guide, network requirements): not {closed}"
            faults.append(Fault(path, given, allowed, "take another zone"))
    return faults


def _without_ids(path: str, zones: Sequence[Zone], region: str) -> list[Fault]:
    closed = WITHOUT_CONTROL_PLANE.get(region)
    with_id = {zone.name for zone in zones if zone.id is not None}
    names = list(dict.fromkeys(zone.name for zone in zones if zone.name not in with_id))
    if closed is None or not names:
        return []
    return [
        warning(
            path,
            f"{', '.join(names)} without an id",
            f"each zone with its id: some letter is {closed}, where EKS makes no control plane, and accounts differ",
            f"write {{name: {names[0]}, id: …}} as {_LOOK} --region {region} says",
        )
    ]
