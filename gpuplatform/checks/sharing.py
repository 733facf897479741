"""Checks of how cards are shared, by MIG, in shares or by claims (DRA)."""

from __future__ import annotations

from collections.abc import Sequence

from gpuplatform.catalog.cards import card
from gpuplatform.catalog.mig import MigGeometry, geometry
from gpuplatform.faults import Fault, warning
from gpuplatform.plan.node_pools import mig_profile, shares_per_card, unit_resource
from gpuplatform.settings.partial import PartialSettings
from gpuplatform.settings.pools import MAX_MPS_SHARES, MigBringUp, Pool, Sharing
from gpuplatform.standard.labels import Role
from gpuplatform.standard.versions import KUBERNETES_SUPPORTED

MIN_SHARES = 2
"""The device plugin refuses fewer than two replicas (NVIDIA/k8s-device-plugin api/config/v1/replicas.go, v0.20.0)."""


def check_sharing(settings: PartialSettings) -> list[Fault]:
    """Faults of each pool's sharing, and of earlier sharing."""
    faults = [fault for pool in settings.pools for fault in _pool(pool, settings)]
    for number, earlier in enumerate(settings.earlier_sharing):
        faults += _way(earlier.sharing, [earlier.card], f"earlier_sharing[{number}].sharing")
    return faults


def _pool(pool: Pool, settings: PartialSettings) -> list[Fault]:
    sharing = pool.sharing
    if not isinstance(sharing, Sharing):
        return []
    path = f"pools[{pool.name}].sharing"
    method_names = [key for key, value in sharing.model_dump().items() if value is not None]
    if not method_names and pool not in settings.whole_pools:
        return []  # the method could not be read, and its fault is already reported
    faults = _way(sharing, [choice.card for choice in pool.cards], path)
    if len(method_names) == 1 and sharing.mig is None and pool.role is Role.CHIEF:
        faults.append(
            Fault(
                f"{path}.{method_names[0]}",
                f"{sharing.shares_per_card} shares per card on a chief",
                "exclusive or mig: a chief must not wait for other pods",
                "cut the card by mig, or leave it whole",
            )
        )
    return faults


def _way(sharing: Sharing, cards: Sequence[str], path: str) -> list[Fault]:
    """Faults of a way of sharing on these cards."""
    method_names = [key for key, value in sharing.model_dump().items() if value is not None]
    if len(method_names) != 1:
        methods = " and ".join(method_names) or "an empty mapping"
        return [Fault(path, methods, "exclusive, or exactly one of mig, time_slicing, mps", "keep one of them")]
    if sharing.mig is not None:
        return [fault for name in cards for fault in _mig(name, sharing.mig, path)]
    return _shares(method_names[0], sharing.shares_per_card or 0, path)


def _mig(name: str, profile: str, path: str) -> list[Fault]:
    shared_card = card(name)
    if shared_card is None:
        return []
    table = geometry(shared_card.mig_table) if shared_card.mig_table else None
    use = f"{profile} on {shared_card.name}"
    if table is None:
        change = "use time_slicing or mps, or a card with MIG"
        return [Fault(f"{path}.mig", use, "a card that has MIG", change)]
    if table.profile(profile) is None:
        profiles = ", ".join(
            f"{card_profile.name} ({card_profile.max_instances} on a card)" for card_profile in table.profiles
        )
        return [Fault(f"{path}.mig", use, f"a profile that the card has: {profiles}", _nearest(profile, table))]
    return []


def _nearest(profile: str, table: MigGeometry) -> str:
    """The profile of this card with the same compute slices, where there is one."""
    alike = [
        card_profile.name
        for card_profile in table.profiles
        if card_profile.name.split(".")[0] == profile.split(".", maxsplit=1)[0]
    ]
    return f"write {' or '.join(alike)}" if alike else "choose one of those"


def _shares(method: str, shares: int, path: str) -> list[Fault]:
    faults: list[Fault] = []
    count = f"{shares} shares per card"
    if shares < MIN_SHARES:
        faults.append(
            Fault(f"{path}.{method}", count, f"at least {MIN_SHARES}", "raise the number, or write exclusive")
        )
    if method == "mps" and shares > MAX_MPS_SHARES:
        faults.append(
            Fault(f"{path}.mps", count, f"at most {MAX_MPS_SHARES}, the most clients of MPS", "lower the number")
        )
    return faults


_TOO_OLD = ("1.33",)
"""Supported minors without resource.k8s.io/v1, which exists since 1.34 (Kubernetes release notes)."""


def check_dra(settings: PartialSettings) -> list[Fault]:
    """Faults of each pool whose cards are claimed (DRA)."""
    pools = [pool for pool in settings.pools if pool.dra]
    faults = [fault for pool in pools for fault in _dra_pool(pool, settings)]
    if pools and settings.cluster is not None and settings.cluster.version in _TOO_OLD:
        newer = ", ".join(minor for minor in KUBERNETES_SUPPORTED if minor not in _TOO_OLD)
        allowed = f"one of {newer} for pools with dra: Kubernetes before 1.34 has no API for claims"
        change = "raise the version, or remove dra from the pools"
        faults.append(Fault("cluster.version", repr(settings.cluster.version), allowed, change))
    return faults


def _dra_pool(pool: Pool, settings: PartialSettings) -> list[Fault]:
    path = f"pools[{pool.name}].dra"
    faults: list[Fault] = []
    if pool.nodes is None:
        allowed = (
            "a static pool: Karpenter's AWS provider does not know the devices of a future node, so no claim can start"
            " one (aws/karpenter-provider-aws issue 9519)"
        )
        faults.append(Fault(path, "true on an elastic pool", allowed, "add nodes: N, or remove dra"))
    if shares_per_card(pool) is not None:
        allowed = "whole cards, or mig: shares need the device plugin, which does not run on the nodes of this pool"
        faults.append(Fault(path, "true with shared cards", allowed, "remove dra, or the sharing"))
    if mig_profile(pool) is not None and pool.mig_bring_up is not MigBringUp.BEFORE_KUBELET:
        allowed = (
            "slices that exist before the kubelet starts: the operator's MIG manager does not run on this pool's nodes"
        )
        change = "add mig_bring_up: before-kubelet, or remove dra"
        faults.append(Fault(path, f"true with mig_bring_up {pool.mig_bring_up.value}", allowed, change))
    resource = unit_resource(pool)
    others = [other.name for other in settings.pools if not other.dra and unit_resource(other) == resource]
    if others:
        faults.append(
            warning(
                path,
                f"claims for what {', '.join(others)} offers as {resource}",
                "one way to request a resource: a namespace's quota limits claims and counted cards separately, so a"
                " namespace may use twice its quota",
                f"halve the quotas of {resource}, or set dra on all its pools",
            )
        )
    return faults
