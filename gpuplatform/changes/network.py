"""Changes of the network: what AWS replaces or changes in place, what is removed, and what EKS refuses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import cast

from gpuplatform.changes.description import Description, SettingsPart
from gpuplatform.changes.differences import becomes, differences
from gpuplatform.changes.effect import Effect, Fate, Thing

_VPC = "vpc"
_STAYS = "EKS cannot move a cluster to another VPC (UpdateClusterConfig): change the cluster's name too, to replace it"


def network_effects(was: Description, now: Description) -> list[Effect]:
    """The effects on the VPC and its subnets.

    A VPC's and a subnet's addresses and a subnet's zone are ForceNew in hashicorp/terraform-provider-aws
    (internal/service/ec2/vpc_.go, vpc_subnet.go); a change of region replaces everything.
    """
    if was.settings is None or now.settings is None:
        return []
    old, new = was.settings, now.settings
    elsewhere = (
        *becomes("account_id", old.account_id, new.account_id),
        *becomes("region", old.region, new.region),
    )
    vpc = (*elsewhere, *_another_vpc(old, new))
    if vpc:
        effects = [Effect(Thing.NETWORK, _VPC, Fate.REPLACED, vpc)]
        if not elsewhere and old.cluster.name == new.cluster.name:
            effects.append(Effect(Thing.CLUSTER, old.cluster.name, Fate.IMPOSSIBLE, (_STAYS,)))
        return effects
    return [*_subnets(was, now), *_in_place(was, now)]


def _another_vpc(old: SettingsPart, new: SettingsPart) -> tuple[str, ...]:
    if old.network.new is not None and new.network.new is not None:
        return becomes("network.new.cidr", old.network.new.cidr, new.network.new.cidr)
    return becomes("network", _vpc_of(old), _vpc_of(new))


def _vpc_of(settings: SettingsPart) -> str:
    if settings.network.existing is not None:
        return settings.network.existing.vpc_id
    return "a new VPC of the stack"


def _subnets(was: Description, now: Description) -> Iterable[Effect]:
    before, after = was.subnets or {}, now.subnets or {}
    for zone, (private, public) in after.items():
        if zone not in before:
            yield Effect(Thing.NETWORK, f"subnets in {zone}", Fate.NEW)
            continue
        reasons = (*becomes("private", before[zone][0], private), *becomes("public", before[zone][1], public))
        if reasons:
            yield Effect(Thing.NETWORK, f"subnets in {zone}", Fate.REPLACED, reasons)
    for zone in before:
        if zone not in after:
            yield Effect(Thing.NETWORK, f"subnets in {zone}", Fate.GONE)


def _in_place(was: Description, now: Description) -> Iterable[Effect]:
    """The other differences of the settings: gateways, endpoints, the pods' network, subnets by id."""
    before, after = (
        cast("Mapping[str, object]", description.own_settings.get("network", {})) for description in (was, now)
    )
    lines = [line for line in differences({"network": before}, {"network": after}) if ".zones" not in line]
    if lines:
        yield Effect(Thing.NETWORK, _VPC, Fate.CHANGED, tuple(lines))
