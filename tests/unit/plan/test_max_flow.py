"""Division by flow: no place exceeds its room, demands are met in full if possible, else a bottleneck is named."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from gpuplatform.plan.max_flow import Bottleneck, Demand, Parts, bottlenecks, divided

PLACES = ("a", "b", "c", "d")
ROOMS = st.fixed_dictionaries({place: st.integers(0, 12) for place in PLACES})
WISHES = st.lists(
    st.builds(
        Demand, st.integers(0, 15), st.sets(st.sampled_from(PLACES), min_size=1).map(lambda names: tuple(sorted(names)))
    ),
    max_size=6,
)


def can_all_be_kept(wishes: list[Demand], room: dict[str, int]) -> bool:
    """Hall's condition, written out: no set of places has less room than the demands that can use no other place."""
    return all(
        sum(wish.amount for wish in wishes if set(wish.places) <= set(places)) <= sum(room[place] for place in places)
        for count in range(1, len(PLACES) + 1)
        for places in combinations(PLACES, count)
    )


@given(WISHES, ROOMS)
def test_every_wish_is_whole_exactly_where_no_places_have_less_room_than_is_asked_of_them(
    demands: list[Demand], room: dict[str, int]
) -> None:
    parts = divided(demands, room)
    for place in PLACES:
        assert sum(part.get(place, 0) for part in parts) <= room[place]
    for demand, held in zip(demands, parts, strict=True):
        assert sum(held.values()) <= demand.amount
        assert all(part >= 0 for part in held.values())
        assert {place for place, part in held.items() if part} <= set(demand.places)
    whole = all(sum(held.values()) == demand.amount for demand, held in zip(demands, parts, strict=True))
    assert whole == can_all_be_kept(demands, room) == (bottlenecks(demands, parts, room) == ())


@given(WISHES, ROOMS)
def test_what_bars_a_wish_is_more_asked_of_some_places_than_they_have(
    demands: list[Demand], room: dict[str, int]
) -> None:
    for bottleneck in bottlenecks(demands, divided(demands, room), room):
        asked = [demands[position] for position in bottleneck.wishes]
        assert all(set(demand.places) <= set(bottleneck.places) for demand in asked)
        assert sum(demand.amount for demand in asked) > sum(room[place] for place in bottleneck.places)


def test_what_one_wish_holds_moves_where_another_can_be_served_from_nowhere_else() -> None:
    demands = [Demand(4, ("a", "b")), Demand(4, ("a",))]
    assert divided(demands, {"a": 4, "b": 4}) == (Parts(a=0, b=4), Parts(a=4))


def test_a_division_that_serves_all_is_left_as_it_is() -> None:
    first = [Parts(a=1, b=3), Parts(a=2)]
    assert divided([Demand(4, ("a", "b")), Demand(2, ("a",))], {"a": 4, "b": 4}, first) == tuple(first)


def test_two_sets_that_share_nothing_are_named_apart() -> None:
    wishes = [Demand(3, ("a",)), Demand(1, ("a", "b")), Demand(5, ("c",))]
    room = {"a": 2, "b": 9, "c": 4}
    assert bottlenecks(wishes, divided(wishes, room), room) == (Bottleneck((0,), ("a",)), Bottleneck((2,), ("c",)))
