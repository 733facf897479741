"""Quotas that cannot be kept."""

from __future__ import annotations

from gpuplatform.faults import Fault
from gpuplatform.proofs.capacity.lines import CapacityLine, Claim, Offer, capacity_lines, claims_of, offers
from gpuplatform.settings.draft import Draft

_RATIO = "queues.overcommit_ratio"


def faults(draft: Draft) -> list[Fault]:
    """Over-commitment beyond the ratio that the stack allows, and quotas above all their pools."""
    if draft.queues is None or draft.broken_pools_text not in ("", "[]"):
        return []  # what cannot be read is said elsewhere, and sums without it would mislead
    offered = offers(draft)
    lines = capacity_lines(draft)
    allowed = draft.queues.overcommit_ratio
    found = [fault for claim in claims_of(draft, offered) for fault in _unserved(claim, offered)]
    found += [_over(line, allowed) for line in lines if _servable(line) > line.units * allowed]
    return found


def _unserved(claim: Claim, offered: tuple[Offer, ...]) -> list[Fault]:
    of_resource = [each for each in offered if each.resource == claim.resource]
    if not of_resource:
        return []  # a resource that no pool offers is refused by the settings' own judge
    meant = [each for each in of_resource if each.pool in claim.pools]
    most = sum(each.units for each in meant)
    if claim.amount <= most:
        return []
    where = _named(meant) if meant else f"no pool it is meant for (it is offered by {_named(of_resource)})"
    return [
        Fault(
            f"tenants[{claim.tenant}].namespaces[{claim.namespace}].quota[{claim.resource}]",
            str(claim.amount),
            f"at most {most}: {where}",
            "lower the quota, raise a ceiling, or name further pools under `pools`",
        )
    ]


def _servable(line: CapacityLine) -> int:
    """What is guaranteed without the parts that are refused on their own."""
    most = {each.pool: each.units for each in line.offers}
    return sum(min(claim.amount, sum(most[pool] for pool in claim.pools)) for claim in line.claims)


def _over(line: CapacityLine, allowed: float) -> Fault:
    given = ", ".join(f"{each.tenant} {each.amount} in {each.namespace}" for each in line.claims)
    return Fault(
        _RATIO,
        f"{line.guaranteed} {line.resource} guaranteed ({given}) of {line.units} that can be ({_named(line.offers)}):"
        f" {line.ratio:.2f} times",
        f"{allowed:.2f} times, {int(line.units * allowed)} {line.resource}",
        "lower one of these quotas, raise a ceiling, or allow a higher ratio",
    )


def _named(found: list[Offer] | tuple[Offer, ...]) -> str:
    return ", ".join(f"pool {each.pool} {each.units}" for each in found)
