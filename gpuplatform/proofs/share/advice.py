"""The choice among the options, and in words why it is that one and not another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gpuplatform.proofs.share.method import Method, ruled_out
from gpuplatform.proofs.share.need import Need
from gpuplatform.proofs.share.options import Option
from gpuplatform.proofs.share.slots import Bound

TABLE_ROWS = 5
_METHODS = tuple(Method)
_CLOSE = 0.9
"""Above this part of the memory as sold, what a workload really sees may be too little (an L4 of 24 GB shows 22.4)."""


@dataclass(frozen=True, slots=True)
class Advice:
    """What to choose, and why."""

    best: Option
    ranked: tuple[Option, ...]
    """Cheapest first, the cheapest type of each way on each card (and pool); the best is the first of them."""
    why: tuple[str, ...]
    why_not: tuple[str, ...]
    """One sentence for each method that was not chosen."""


def advise(options: Sequence[Option], need: Need) -> Advice | None:
    """The cheapest option by the price of a slot; None where there is none.

    Of equal prices the better isolated method wins, then the smaller node.
    """
    ranked = _ranked(options)
    if not ranked:
        return None
    best = ranked[0]
    why_not = tuple(_why_not(method, ranked, best, need) for method in _METHODS if method is not best.way.method)
    return Advice(best, ranked[:TABLE_ROWS], tuple(_why(best, ranked, need)), why_not)


def _ranked(options: Sequence[Option]) -> tuple[Option, ...]:
    seen: dict[tuple[object, ...], Option] = {}
    for option in sorted(options, key=_order):
        pool = option.pool.name if option.pool else None
        seen.setdefault((option.way.method, option.card.name, pool), option)
    return tuple(seen.values())


def _order(option: Option) -> tuple[float, int, float, str]:
    return (
        round(option.usd_per_slot, 9),
        _METHODS.index(option.way.method),
        option.node_usd_per_hour,
        option.node.name,
    )


def room_in_words(option: Option) -> str:
    """What bounds the pods of one node, and what that strands."""
    room = option.slots
    if room.bound is Bound.CARDS:
        return "its cards"
    kind = "cards" if option.way.method is Method.WHOLE else "slices" if option.way.method is Method.MIG else "shares"
    return f"its {room.bound}, with {room.stranded} of {room.by_cards} {kind} stranded"


def _why(best: Option, ranked: Sequence[Option], need: Need) -> list[str]:
    said = [_carries(best, need)]
    second = next((each for each in ranked if each is not best), None)
    if second is not None:
        said.append(
            f"The next is {second.way} on {second.node.name} ({second.card.name}) at ${second.usd_per_slot:.3f} a slot."
        )
    if best.node.cards * best.way.units_per_card > 1:
        said.append(
            f"The price holds while the node is full: a node of ${best.node_usd_per_hour:.2f} an hour is billed whole."
        )
    if need.memory_gib > _CLOSE * best.way.unit_memory_gb:
        said.append(
            f"{need.memory_gib:g} GiB is close to the {best.way.unit_memory_gb:g} GB that the pod gets by name; a"
            " workload sees a little less, so measure before you rely on it."
        )
    return said


def _carries(best: Option, need: Need) -> str:
    room = best.slots
    pods = "1 such pod" if room.count == 1 else f"{room.count} such pods"
    unit = {
        Method.WHOLE: f"a whole {best.card.name} has {best.card.memory_gb} GB",
        Method.MIG: f"a slice has {best.way.unit_memory_gb:g} GB, walled off",
        Method.MPS: f"each of {best.way.units_per_card} shares has {best.way.unit_memory_gb:g} GB, all run at once",
        Method.TIME_SLICING: f"{best.way.units_per_card} pods take turns on {best.card.memory_gb} GB, nothing enforced",
    }[best.way.method]
    if need.cards > 1:
        unit = f"{need.cards} cards a pod, and {unit}"
    return f"{_capital(unit)}; one {best.node.name} carries {pods}, bounded by {room_in_words(best)}."


def _why_not(method: Method, ranked: Sequence[Option], best: Option, need: Need) -> str:
    name = _capital(method.value)
    if (why := ruled_out(method, need)) is not None:
        return f"{name}: {why}."
    cheapest = next((each for each in ranked if each.way.method is method), None)
    if cheapest is None:
        place = "no priced type carries two such pods on one card" if best.pool is None else "no suitable pool has it"
        return f"{name}: {place}."
    room = cheapest.slots
    what = f"{cheapest.way} on {cheapest.node.name} ({cheapest.card.name})"
    bound = room_in_words(cheapest)
    carried = f"a node of ${cheapest.node_usd_per_hour:.3f} an hour carries {room.count}, bounded by {bound}"
    compared = _compared(cheapest.usd_per_slot, best.usd_per_slot)
    return f"{name}: the cheapest is {what} at ${cheapest.usd_per_slot:.3f} a slot, {compared}; {carried}."


def _compared(other: float, best: float) -> str:
    if round(other, 9) == round(best, 9):
        return "the same price with less isolation"
    return f"{100 * (other / best - 1):.0f} % more than ${best:.3f}"


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]
