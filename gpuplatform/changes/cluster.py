"""The control plane: what replaces it, what EKS changes in place, and which versions it takes one after another."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import cast

from gpuplatform.changes.description import Description, SettingsPart
from gpuplatform.changes.differences import becomes, differences
from gpuplatform.changes.effect import Effect, Fate, Thing
from gpuplatform.faults import Fault
from gpuplatform.settings.cluster import Contents

_MINOR = re.compile(r"^(\d+)\.(\d+)$")
_PATH = "cluster.version"


def version_faults(was: Description, now: Description) -> list[Fault]:
    """EKS takes the next minor alone, and none back (EKS user guide, "Update existing cluster to new version").

    A new cluster takes any minor.
    """
    if was.settings is None or now.settings is None or _replaced(was.settings, now.settings):
        return []
    old, new = was.settings.cluster.version, now.settings.cluster.version
    before, after = _MINOR.match(old), _MINOR.match(new)
    if before is None or after is None:
        return []
    (major, minor), (new_major, new_minor) = (tuple(map(int, found.groups())) for found in (before, after))
    following = f"{major}.{minor + 1}"
    if (new_major, new_minor) in {(major, minor), (major, minor + 1)}:
        return []
    given = f"{new}, and the cluster runs {old}"
    if (new_major, new_minor) < (major, minor):
        allowed = f"{old} or {following}: EKS takes no cluster back to an earlier minor"
        return [
            Fault(_PATH, given, allowed, f"leave it at {old}; an earlier minor is a new cluster, with another name")
        ]
    allowed = f"{old} or {following}: EKS raises a control plane by one minor at a time"
    return [
        Fault(_PATH, given, allowed, f"set {following}, run `pulumi up`, and raise it again when every node is there")
    ]


def cluster_effects(was: Description, now: Description) -> list[Effect]:
    """What becomes of the control plane and of everything in it."""
    if was.settings is None or now.settings is None:
        return []
    old, new = was.settings, now.settings
    effects: list[Effect] = []
    if reasons := _replaced(old, new):
        protected = (
            ("deletion_protection is on: the engine refuses until it is taken off and applied",)
            if old.cluster.deletion_protection
            else ()
        )
        effects.append(Effect(Thing.CLUSTER, old.cluster.name, Fate.REPLACED, (*reasons, *protected)))
    elif in_place := _in_place(was, now):
        effects.append(Effect(Thing.CLUSTER, old.cluster.name, Fate.CHANGED, in_place))
    if old.cluster.contents == Contents.APPLIED and new.cluster.contents == Contents.DEFERRED:
        reasons = becomes("cluster.contents", old.cluster.contents, new.cluster.contents)
        effects.append(Effect(Thing.CONTENTS, old.cluster.name, Fate.GONE, reasons))
    return effects


def _replaced(old: SettingsPart, new: SettingsPart) -> tuple[str, ...]:
    """Why the control plane is another one.

    Name and Services' addresses: ForceNew in hashicorp/terraform-provider-aws 00555dc, internal/service/eks/cluster.go.
    Region: every resource of the provider is made anew where its region changes (forceNewIfRegionChanges, v6).
    """
    return (
        *becomes("account_id", old.account_id, new.account_id),
        *becomes("region", old.region, new.region),
        *becomes("cluster.name", old.cluster.name, new.cluster.name),
        *(
            becomes("cluster.service_cidr", old.cluster.service_cidr, new.cluster.service_cidr)
            if old.cluster.service_cidr
            else ()
        ),
    )


def _in_place(was: Description, now: Description) -> tuple[str, ...]:
    before, after = (cast("Mapping[str, object]", each.own_settings.get("cluster", {})) for each in (was, now))
    left_out = {"contents"}
    return differences(
        *({"cluster": {key: value for key, value in each.items() if key not in left_out}} for each in (before, after))
    )
