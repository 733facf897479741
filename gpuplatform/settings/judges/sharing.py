"""How a card is shared: a profile that the card has, shares that the method allows, chiefs not time-sliced."""

from __future__ import annotations

from collections.abc import Sequence

from gpuplatform.catalog.cards import card
from gpuplatform.catalog.mig import MigGeometry, geometry
from gpuplatform.faults import Fault
from gpuplatform.settings.draft import Draft
from gpuplatform.settings.pools import MAX_MPS_SHARES, Pool, Sharing
from gpuplatform.standard.labels import Role

MIN_SHARES = 2
"""The device plugin refuses fewer than two replicas (NVIDIA/k8s-device-plugin api/config/v1/replicas.go, v0.20.0)."""


def judge(draft: Draft) -> list[Fault]:
    """What is wrong with each pool's sharing."""
    faults = [fault for pool in draft.pools for fault in _pool(pool, draft)]
    for number, earlier in enumerate(draft.earlier_sharing):
        faults += _way(earlier.sharing, [earlier.card], f"earlier_sharing[{number}].sharing")
    return faults


def _pool(pool: Pool, draft: Draft) -> list[Fault]:
    sharing = pool.sharing
    if not isinstance(sharing, Sharing):
        return []
    path = f"pools[{pool.name}].sharing"
    chosen = [key for key, value in sharing.model_dump().items() if value is not None]
    if not chosen and pool not in draft.whole_pools:
        return []  # what was chosen could not be read, which is said already
    faults = _way(sharing, [choice.card for choice in pool.cards], path)
    if len(chosen) == 1 and sharing.mig is None and pool.role is Role.CHIEF:
        faults.append(
            Fault(
                f"{path}.{chosen[0]}",
                f"{sharing.shares_per_card} shares_per_card on a chief",
                "exclusive or mig: a chief is not to wait for others",
                "cut the card by mig, or leave it whole",
            )
        )
    return faults


def _way(sharing: Sharing, cards: Sequence[str], path: str) -> list[Fault]:
    """What is wrong with a way of sharing on these cards."""
    chosen = [key for key, value in sharing.model_dump().items() if value is not None]
    if len(chosen) != 1:
        given = " and ".join(chosen) or "an empty mapping"
        return [Fault(path, given, "exclusive, or exactly one of mig, time_slicing, mps", "keep one of them")]
    if sharing.mig is not None:
        return [fault for name in cards for fault in _mig(name, sharing.mig, path)]
    return _shares(chosen[0], sharing.shares_per_card or 0, path)


def _mig(name: str, profile: str, path: str) -> list[Fault]:
    known = card(name)
    if known is None:
        return []
    table = geometry(known.mig_table) if known.mig_table else None
    given = f"{profile} on {known.name}"
    if table is None:
        change = "use time_slicing or mps, or a card with MIG"
        return [Fault(f"{path}.mig", given, "a card that has MIG", change)]
    if table.profile(profile) is None:
        has = ", ".join(f"{each.name} ({each.max_instances} on a card)" for each in table.profiles)
        return [Fault(f"{path}.mig", given, f"a profile that it has: {has}", _nearest(profile, table))]
    return []


def _nearest(profile: str, table: MigGeometry) -> str:
    """The profile of this card with the same compute slices, where there is one."""
    alike = [each.name for each in table.profiles if each.name.split(".")[0] == profile.split(".", maxsplit=1)[0]]
    return f"write {' or '.join(alike)}" if alike else "choose one of those"


def _shares(method: str, shares: int, path: str) -> list[Fault]:
    faults: list[Fault] = []
    given = f"{shares} shares_per_card"
    if shares < MIN_SHARES:
        faults.append(Fault(f"{path}.{method}", given, f"{MIN_SHARES} at least", "share more, or write exclusive"))
    if method == "mps" and shares > MAX_MPS_SHARES:
        faults.append(Fault(f"{path}.mps", given, f"{MAX_MPS_SHARES} at most: MPS serves no more", "share less"))
    return faults
