"""The advice for a pod: the cheapest option and its reasons, or the numbers to change where no node fits the pod."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gpuplatform.analysis.sharing.need import Bound, Method, Need, ruled_out
from gpuplatform.analysis.sharing.options import Option
from gpuplatform.catalog.cards import Card
from gpuplatform.catalog.instance_types import InstanceType
from gpuplatform.faults import Fault

_MIB_PER_GIB = 1024


@dataclass(frozen=True, slots=True)
class _Measure:
    option: str
    need: float
    most: float
    unit: str
    where: str


def what_there_is(need: Need, places: Sequence[tuple[InstanceType, Card]]) -> list[Fault]:
    """One fault for each number that no node reaches, or one for all numbers together where each fits by itself."""
    if not places:
        return [
            Fault("--stack", "no pool that suits the pod", "a pool that suits it", "add a pool, or ask without a stack")
        ]
    measures = _measures(need, places)
    faults = [
        Fault(
            measure.option,
            f"{measure.need:g} {measure.unit}",
            f"at most {measure.most:g} {measure.unit}: {measure.where}",
            f"ask for {measure.most:g} or less",
        )
        for measure in measures
        if measure.need > measure.most
    ]
    if faults:
        return faults
    largest = ", ".join(f"{measure.most:g} {measure.unit} ({measure.where})" for measure in measures)
    return [
        Fault(
            "the pod as a whole",
            f"{need.cards} x {need.memory_gib:g} GiB of card, {need.cpu_millis} CPU millis,"
            f" {need.host_memory_gib:g} GiB of host",
            f"the card, CPU and memory of one node; the largest of each is {largest}",
            "ask for less CPU or host memory, or for fewer cards",
        )
    ]


def _measures(need: Need, places: Sequence[tuple[InstanceType, Card]]) -> list[_Measure]:
    card = max(places, key=lambda place: place[1].memory_gb)
    cpu = max(places, key=lambda place: place[0].allocatable_cpu_millis)
    memory = max(places, key=lambda place: place[0].allocatable_memory_mib)
    cards = max(places, key=lambda place: place[0].cards)
    return [
        _Measure("--memory-gib", need.memory_gib, card[1].memory_gb, "GiB of one card", card[1].name),
        _Measure("--cpu-millis", need.cpu_millis, cpu[0].allocatable_cpu_millis, "CPU millis", cpu[0].name),
        _Measure(
            "--host-memory-gib",
            need.host_memory_gib,
            memory[0].allocatable_memory_mib // _MIB_PER_GIB,
            "GiB of host",
            memory[0].name,
        ),
        _Measure("--cards", need.cards, cards[0].cards, "cards of one node", cards[0].name),
    ]


TABLE_ROWS = 5
_METHODS = tuple(Method)
_CLOSE = 0.9
"""Above this part of the nominal memory, the usable memory may be too little (an L4 of 24 GB shows 22.4)."""


@dataclass(frozen=True, slots=True)
class SharingAdvice:
    """The option to choose, and the reasons for it."""

    best: Option
    ranked: tuple[Option, ...]
    """The cheapest type for each method, card and pool, cheapest first; ``best`` is the first of them."""
    why: tuple[str, ...]
    why_not: tuple[str, ...]
    """One sentence for each method that is not chosen."""


def advise(options: Sequence[Option], need: Need) -> SharingAdvice | None:
    """The cheapest option by the price of a slot; None where there is none.

    Of equal prices the better isolated method wins, then the smaller node.
    """
    ranked = _ranked(options)
    if not ranked:
        return None
    best = ranked[0]
    why_not = tuple(_why_not(method, ranked, best, need) for method in _METHODS if method is not best.way.method)
    return SharingAdvice(best, ranked[:TABLE_ROWS], tuple(_why(best, ranked, need)), why_not)


def _ranked(options: Sequence[Option]) -> tuple[Option, ...]:
    best_options: dict[tuple[object, ...], Option] = {}
    for option in sorted(options, key=_order):
        pool = option.pool.name if option.pool else None
        best_options.setdefault((option.way.method, option.card.name, pool), option)
    return tuple(best_options.values())


def _order(option: Option) -> tuple[float, int, float, str]:
    return (
        round(option.usd_per_slot, 9),
        _METHODS.index(option.way.method),
        option.node_usd_per_hour,
        option.node.name,
    )


def room_in_words(option: Option) -> str:
    """The resource that limits the pods of one node, and the slices or shares that stay unused."""
    room = option.slots
    if room.bound is Bound.CARDS:
        return "its cards"
    kind = "cards" if option.way.method is Method.WHOLE else "slices" if option.way.method is Method.MIG else "shares"
    return f"its {room.bound}, with {room.stranded} of {room.by_cards} {kind} stranded"


def _why(best: Option, ranked: Sequence[Option], need: Need) -> list[str]:
    sentences = [_carries(best, need)]
    second = next((option for option in ranked if option is not best), None)
    if second is not None:
        sentences.append(
            f"The next is {second.way} on {second.node.name} ({second.card.name}) at ${second.usd_per_slot:.3f} a slot."
        )
    if best.node.cards * best.way.units_per_card > 1:
        sentences.append(
            f"The price holds while the node is full: AWS bills the whole node, ${best.node_usd_per_hour:.2f} an hour."
        )
    if need.memory_gib > _CLOSE * best.way.unit_memory_gb:
        sentences.append(
            f"{need.memory_gib:g} GiB is close to the nominal {best.way.unit_memory_gb:g} GB; a workload sees a little"
            " less, so measure before you rely on it."
        )
    return sentences


def _carries(best: Option, need: Need) -> str:
    room = best.slots
    pods = "1 such pod" if room.count == 1 else f"{room.count} such pods"
    unit = {
        Method.WHOLE: f"a whole {best.card.name} has {best.card.memory_gb} GB",
        Method.MIG: f"a slice has {best.way.unit_memory_gb:g} GB, isolated",
        Method.MPS: f"each of {best.way.units_per_card} shares has {best.way.unit_memory_gb:g} GB, all run at once",
        Method.TIME_SLICING: f"{best.way.units_per_card} pods take turns on {best.card.memory_gb} GB without isolation",
    }[best.way.method]
    if need.cards > 1:
        unit = f"{need.cards} cards a pod, and {unit}"
    return f"{_capital(unit)}; one {best.node.name} carries {pods}, bounded by {room_in_words(best)}."


def _why_not(method: Method, ranked: Sequence[Option], best: Option, need: Need) -> str:
    name = _capital(method.value)
    if (why := ruled_out(method, need)) is not None:
        return f"{name}: {why}."
    cheapest = next((option for option in ranked if option.way.method is method), None)
    if cheapest is None:
        place = "no priced type carries two such pods on one card" if best.pool is None else "no suitable pool uses it"
        return f"{name}: {place}."
    room = cheapest.slots
    option_text = f"{cheapest.way} on {cheapest.node.name} ({cheapest.card.name})"
    bound = room_in_words(cheapest)
    room_text = f"a node of ${cheapest.node_usd_per_hour:.3f} an hour carries {room.count}, bounded by {bound}"
    compared = _compared(cheapest.usd_per_slot, best.usd_per_slot)
    return f"{name}: the cheapest is {option_text} at ${cheapest.usd_per_slot:.3f} a slot, {compared}; {room_text}."


def _compared(other: float, best: float) -> str:
    if round(other, 9) == round(best, 9):
        return "the same price with less isolation"
    return f"{100 * (other / best - 1):.0f} % more than ${best:.3f}"


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]
