"""Changes of the control plane: what replaces it, what EKS changes in place, and which version steps EKS accepts."""

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
    """Faults of versions that are not the next minor (EKS user guide, "Update existing cluster to new version").

    A new cluster may have any minor.
    """
    if was.settings is None or now.settings is None or _replaced(was.settings, now.settings):
        return []
    old, new = was.settings.cluster.version, now.settings.cluster.version
    before, after = _MINOR.match(old), _MINOR.match(new)
    if before is None or after is None:
        return []
    (major, minor), (new_major, new_minor) = (tuple(map(int, match.groups())) for match in (before, after))
    following = f"{major}.{minor + 1}"
    if (new_major, new_minor) in {(major, minor), (major, minor + 1)}:
        return []
    versions = f"{new}, and the cluster runs {old}"
    if (new_major, new_minor) < (major, minor):
        allowed = f"{old} or {following}: EKS does not take a cluster back to an earlier minor"
        return [
            Fault(
                _PATH,
                versions,
                allowed,
                f"leave it at {old}; for an earlier minor make a new cluster with another name",
            )
        ]
    allowed = f"{old} or {following}: EKS raises a control plane by one minor at a time"
    return [
        Fault(
            _PATH,
            versions,
            allowed,
            f"set {following}, run `pulumi up`, and raise it again when every node runs that version",
        )
    ]


def cluster_effects(was: Description, now: Description) -> list[Effect]:
    """The effects on the control plane and on everything in it."""
    if was.settings is None or now.settings is None:
        return []
    old, new = was.settings, now.settings
    effects: list[Effect] = []
    if reasons := _replaced(old, new):
        protected = (
            ("deletion_protection is on: Pulumi refuses the change until it is turned off and applied",)
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
    """Why the control plane is replaced.

    Name and Services' addresses: ForceNew in hashicorp/terraform-provider-aws 00555dc, internal/service/eks/cluster.go.
    Region: every resource of the provider is replaced where its region changes (forceNewIfRegionChanges, v6).
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
    before, after = (
        cast("Mapping[str, object]", description.own_settings.get("cluster", {})) for description in (was, now)
    )
    left_out = {"contents"}
    return differences(
        *(
            {"cluster": {key: value for key, value in cluster.items() if key not in left_out}}
            for cluster in (before, after)
        )
    )
