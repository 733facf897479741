"""How a card is shared: a profile that the card has, shares that the method allows, chiefs not time-sliced."""

from __future__ import annotations

from gpuplatform.catalog.cards import card
from gpuplatform.catalog.mig import geometry
from gpuplatform.faults import Fault
from gpuplatform.settings.draft import Draft
from gpuplatform.settings.pools import MAX_MPS_SHARES, Pool, Sharing
from gpuplatform.standard.labels import Role

MIN_SHARES = 2
"""The device plugin refuses fewer than two replicas (NVIDIA/k8s-device-plugin api/config/v1/replicas.go, v0.20.0)."""


def judge(draft: Draft) -> list[Fault]:
    """What is wrong with each pool's sharing."""
    return [fault for pool in draft.pools for fault in _pool(pool, draft)]


def _pool(pool: Pool, draft: Draft) -> list[Fault]:
    sharing = pool.sharing
    if not isinstance(sharing, Sharing):
        return []
    path = f"pools[{pool.name}].sharing"
    chosen = [key for key, value in sharing.model_dump().items() if value is not None]
    if not chosen and pool not in draft.whole_pools:
        return []  # what was chosen could not be read, which is said already
    if len(chosen) != 1:
        given = " and ".join(chosen) or "an empty mapping"
        return [Fault(path, given, "exclusive, or exactly one of mig, time_slicing, mps", "keep one of them")]
    if sharing.mig is not None:
        return _mig(pool, sharing.mig, path)
    return _shares(pool, chosen[0], sharing.shares_per_card or 0, path)


def _mig(pool: Pool, profile: str, path: str) -> list[Fault]:
    faults: list[Fault] = []
    for choice in pool.cards:
        known = card(choice.card)
        if known is None:
            continue
        table = geometry(known.mig_table) if known.mig_table else None
        if table is None:
            change = "use time_slicing or mps, or a card with MIG"
            faults.append(Fault(f"{path}.mig", f"{profile} on {known.name}", "a card that has MIG", change))
        elif table.profile(profile) is None:
            has = ", ".join(f"{each.name} ({each.max_instances} on a card)" for each in table.profiles)
            faults.append(
                Fault(
                    f"{path}.mig", f"{profile} on {known.name}", f"a profile that it has: {has}", "choose one of those"
                )
            )
    return faults


def _shares(pool: Pool, method: str, shares: int, path: str) -> list[Fault]:
    faults: list[Fault] = []
    given = f"{shares} shares_per_card"
    if shares < MIN_SHARES:
        faults.append(Fault(f"{path}.{method}", given, f"{MIN_SHARES} at least", "share more, or write exclusive"))
    if method == "mps" and shares > MAX_MPS_SHARES:
        faults.append(Fault(f"{path}.mps", given, f"{MAX_MPS_SHARES} at most: MPS serves no more", "share less"))
    if pool.role is Role.CHIEF:
        faults.append(
            Fault(
                f"{path}.{method}",
                f"{given} on a chief",
                "exclusive or mig: a chief is not to wait for others",
                "cut the card by mig, or leave it whole",
            )
        )
    return faults
