"""Division by flow: within every room, whole where that can be, and the set that bars it where it cannot."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from gpuplatform.flow import Parts, Tight, Wish, divided, tight

PLACES = ("a", "b", "c", "d")
ROOMS = st.fixed_dictionaries({place: st.integers(0, 12) for place in PLACES})
WISHES = st.lists(
    st.builds(
        Wish, st.integers(0, 15), st.sets(st.sampled_from(PLACES), min_size=1).map(lambda known: tuple(sorted(known)))
    ),
    max_size=6,
)


def can_all_be_kept(wishes: list[Wish], room: dict[str, int]) -> bool:
    """Hall's condition, written out: no set of places has less room than the wishes that know no other."""
    return all(
        sum(wish.amount for wish in wishes if set(wish.places) <= set(places)) <= sum(room[each] for each in places)
        for count in range(1, len(PLACES) + 1)
        for places in combinations(PLACES, count)
    )


@given(WISHES, ROOMS)
def test_every_wish_is_whole_exactly_where_no_places_have_less_room_than_is_asked_of_them(
    wishes: list[Wish], room: dict[str, int]
) -> None:
    parts = divided(wishes, room)
    for place in PLACES:
        assert sum(each.get(place, 0) for each in parts) <= room[place]
    for wish, each in zip(wishes, parts, strict=True):
        assert sum(each.values()) <= wish.amount
        assert all(part >= 0 for part in each.values())
        assert {place for place, part in each.items() if part} <= set(wish.places)
    whole = all(sum(each.values()) == wish.amount for wish, each in zip(wishes, parts, strict=True))
    assert whole == can_all_be_kept(wishes, room) == (tight(wishes, parts, room) == ())


@given(WISHES, ROOMS)
def test_what_bars_a_wish_is_more_asked_of_some_places_than_they_have(wishes: list[Wish], room: dict[str, int]) -> None:
    for each in tight(wishes, divided(wishes, room), room):
        asked = [wishes[position] for position in each.wishes]
        assert all(set(wish.places) <= set(each.places) for wish in asked)
        assert sum(wish.amount for wish in asked) > sum(room[place] for place in each.places)


def test_what_one_wish_holds_moves_where_another_can_be_served_from_nowhere_else() -> None:
    wishes = [Wish(4, ("a", "b")), Wish(4, ("a",))]
    assert divided(wishes, {"a": 4, "b": 4}) == (Parts(a=0, b=4), Parts(a=4))


def test_a_division_that_serves_all_is_left_as_it_is() -> None:
    first = [Parts(a=1, b=3), Parts(a=2)]
    assert divided([Wish(4, ("a", "b")), Wish(2, ("a",))], {"a": 4, "b": 4}, first) == tuple(first)


def test_two_sets_that_share_nothing_are_named_apart() -> None:
    wishes = [Wish(3, ("a",)), Wish(1, ("a", "b")), Wish(5, ("c",))]
    room = {"a": 2, "b": 9, "c": 4}
    assert tight(wishes, divided(wishes, room), room) == (Tight((0,), ("a",)), Tight((2,), ("c",)))
