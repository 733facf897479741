import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuplatform.analysis.mig import Layout, Proof, layout_fault, legal_layouts, prove
from gpuplatform.catalog.mig import MigGeometry, geometries

CARDS = st.sampled_from(list(geometries().values()))


def proof(card: str, **counts: int) -> Proof:
    return prove(geometries()[card], {name.replace("_", "."): count for name, count in counts.items()})


@st.composite
def legal(draw: st.DrawFn) -> tuple[MigGeometry, Layout]:
    card = draw(CARDS)
    return card, draw(st.sampled_from(legal_layouts(card)))


@st.composite
def anything(draw: st.DrawFn) -> tuple[MigGeometry, dict[str, int]]:
    card = draw(CARDS)
    names = st.sampled_from([profile.name for profile in card.profiles])
    return card, draw(st.dictionaries(names, st.integers(1, 8), min_size=1, max_size=4))


def nearest(of: Proof) -> list[str]:
    return [str(layout) for layout in of.nearest]


# Arithmetic of one card


@pytest.mark.parametrize(
    ("card", "counts"),
    [
        ("A100-40GB", {"2g.10gb": 3}),
        ("A100-80GB", {"3g.40gb": 2}),
        ("A100-80GB", {"1g.10gb": 7}),
        ("H100-80GB", {"3g.40gb": 1, "1g.10gb": 4}),
        ("A100-80GB", {"4g.40gb": 1, "3g.40gb": 1}),
        ("A100-80GB", {"4g.40gb": 1, "2g.20gb": 1, "1g.10gb": 1}),
        ("A100-80GB", {"3g.40gb": 1, "2g.20gb": 2}),
        ("A100-80GB", {"1g.10gb": 6, "1g.20gb": 1}),
        ("A100-80GB", {"1g.10gb+me": 1, "3g.40gb": 1, "2g.20gb": 1}),
        ("A30-24GB", {"1g.6gb": 2, "2g.12gb": 1}),
        ("RTX-PRO-6000-96GB", {"1g.24gb+me.all": 1, "1g.24gb-me": 3}),
        ("RTX-PRO-6000-96GB", {"1g.24gb+me": 1, "1g.24gb+gfx": 3}),
    ],
)
def test_layouts_that_cards_hold_are_legal(card: str, counts: dict[str, int]) -> None:
    proven = prove(geometries()[card], counts)
    assert proven.legal, proven.reason
    assert proven.reason == ""


@pytest.mark.parametrize(
    ("card", "counts", "words"),
    [
        ("A100-40GB", {"2g.10gb": 4}, "2g.10gb ×4 needs 8 of 7 compute slices; 3 is the most"),
        ("A100-40GB", {"1g.10gb": 7}, "needs 14 of 8 memory slices; 4 is the most"),
        ("A100-40GB", {"3g.40gb": 2}, "A100-40GB has no 3g.40gb; its 3g profile is 3g.20gb"),
        ("A100-40GB", {"1g.20gb": 2}, "its 1g profiles are 1g.5gb, 1g.5gb+me and 1g.10gb"),
        ("B200-180GB", {"2g.40gb": 1}, "its 2g profile is 2g.45gb"),
        ("RTX-PRO-6000-96GB", {"3g.40gb": 1}, "has no 3g.40gb, nor any 3g profile (all its profiles: 1g.24gb,"),
        ("A100-80GB", {"4g.40gb": 2}, "needs 8 of 7 compute slices; 1 is the most"),
        (
            "A100-80GB",
            {"1g.10gb": 3, "2g.20gb": 1, "3g.40gb": 1},
            "together need 8 of 7 compute slices and 9 of 8 memory slices",
        ),
        (
            "A100-80GB",
            {"3g.40gb": 2, "1g.10gb": 1},
            "3g.40gb ×2 occupy memory slices 0-3 and 4-7, so no slice is left for 1g.10gb"
            " (the sum of g is 7, and still it cannot be placed)",
        ),
        (
            "A100-80GB",
            {"3g.40gb": 1, "2g.20gb": 1, "1g.20gb": 1, "1g.10gb": 1},
            "so no slice is left for 1g.10gb (the sum of g is 7,",
        ),
        (
            "A100-80GB",
            {"1g.20gb": 3, "1g.10gb": 3},
            "1g.10gb ×2 occupy memory slices 4 and 5, so no slice is left for 1g.10gb",
        ),
        ("A100-80GB", {"1g.10gb+me": 2}, "one instance of a card may hold its media engines"),
        ("A30-24GB", {"1g.6gb+me": 1, "2g.12gb+me": 1}, "one instance of a card may hold its media engines"),
        ("RTX-PRO-6000-96GB", {"1g.24gb+me": 1, "1g.24gb+me.all": 1}, "one instance of a card may hold"),
        ("RTX-PRO-6000-96GB", {"2g.48gb+me.all": 1, "1g.24gb+gfx": 1}, "1g.24gb+gfx must be a -me profile"),
        ("A100-40GB", {"1c.3g.20gb": 2}, "only whole GPU instances, here 3g.20gb, are proven"),
        ("A100-40GB", {"1g.5gb.me": 1}, "in a layout the profile is called 1g.5gb+me"),
        ("A100-40GB", {"small": 1}, "'small' is not written as a MIG profile"),
        ("A100-40GB", {"1g.5gb": -1}, "-1 instances of 1g.5gb cannot be made"),
        ("A100-40GB", {}, "nothing to place"),
        ("A100-40GB", {"1g.5gb": 10**30}, "7 is the most"),
    ],
)
def test_layouts_that_no_card_holds_are_refused_with_the_rule_they_break(
    card: str, counts: dict[str, int], words: str
) -> None:
    proven = prove(geometries()[card], counts)
    assert not proven.legal
    assert words in proven.reason
    assert proven.placed == ()


# What is stranded, and what still fits


def test_two_large_halves_strand_one_compute_slice_and_no_memory() -> None:
    halves = proof("A100-80GB", **{"3g_40gb": 2})
    assert (halves.stranded_compute, halves.stranded_memory) == (1, 0)
    assert halves.also_fits == ()


def test_seven_small_slices_strand_one_memory_slice_and_no_compute() -> None:
    small = proof("A100-80GB", **{"1g_10gb": 7})
    assert (small.stranded_compute, small.stranded_memory) == (0, 1)


def test_four_double_memory_slices_of_the_40_gb_card_strand_three_compute_slices() -> None:
    assert proof("A100-40GB", **{"1g_10gb": 4}).stranded_compute == 3


def test_slices_that_something_can_still_use_are_free_and_not_stranded() -> None:
    pairs = proof("A100-40GB", **{"2g_10gb": 3})
    assert (pairs.free_compute, pairs.free_memory) == (1, 2)
    assert (pairs.stranded_compute, pairs.stranded_memory) == (0, 0)
    assert {str(layout) for layout in pairs.also_fits} == {"1g.5gb ×1", "1g.5gb+me ×1", "1g.10gb ×1"}


# The nearest choice


def test_the_nearest_layout_gives_up_as_little_as_possible() -> None:
    assert nearest(proof("A100-40GB", **{"2g_10gb": 4}))[0] == "2g.10gb ×3"
    assert nearest(proof("A100-40GB", **{"1g_10gb": 7}))[0] == "1g.10gb ×4"


def test_a_profile_of_another_cards_memory_leads_to_this_cards_own() -> None:
    assert nearest(proof("A100-40GB", **{"3g_40gb": 2}))[0] == "3g.20gb ×2"
    assert nearest(proof("B200-180GB", **{"2g_40gb": 3}))[0] == "2g.45gb ×3"


def test_a_layout_fault_says_what_was_given_why_not_and_what_to_use() -> None:
    card = geometries()["A100-80GB"]
    fault = layout_fault("pools[serve].sharing", card, {"3g.40gb": 2, "1g.10gb": 1})
    assert fault is not None
    assert fault.path == "pools[serve].sharing"
    assert "on A100-80GB" in fault.given
    assert "cannot be placed" in fault.allowed
    assert fault.change.startswith("use (3g.40gb")
    assert layout_fault("pools[serve].sharing", card, {"3g.40gb": 2}) is None


# Properties


@given(legal())
def test_no_two_placements_overlap_and_each_is_allowed(case: tuple[MigGeometry, Layout]) -> None:
    card, layout = case
    placed = prove(card, layout.as_dict()).placed
    covered = list(itertools.chain.from_iterable(instance.slices for instance in placed))
    assert len(covered) == len(set(covered))
    assert set(covered) <= set(range(card.memory_slices))
    for instance in placed:
        profile = card.profile(instance.profile)
        assert profile is not None
        assert instance.start in profile.placements
        assert instance.memory_slices == profile.memory_slices
    assert Layout.of({name: [p.profile for p in placed].count(name) for name, _ in layout.counts}) == layout


@given(legal(), st.data())
def test_a_legal_layout_stays_legal_when_an_instance_is_removed(
    case: tuple[MigGeometry, Layout], data: st.DataObject
) -> None:
    card, layout = case
    smaller = layout.plus(data.draw(st.sampled_from([name for name, _ in layout.counts])), -1)
    assert not smaller.counts or prove(card, smaller.as_dict()).legal


@given(anything())
def test_the_order_in_which_profiles_are_named_does_not_matter(case: tuple[MigGeometry, dict[str, int]]) -> None:
    card, counts = case
    assert prove(card, counts) == prove(card, dict(reversed(counts.items())))


@given(anything())
def test_a_layout_is_either_placed_or_refused_with_a_reason_and_legal_choices(
    case: tuple[MigGeometry, dict[str, int]],
) -> None:
    card, counts = case
    proven = prove(card, counts)
    if proven.legal:
        assert proven.reason == ""
        assert len(proven.placed) == sum(counts.values())
        assert proven.stranded_compute <= proven.free_compute
        assert proven.stranded_memory <= proven.free_memory
    else:
        assert proven.reason
        assert proven.nearest
        assert all(prove(card, layout.as_dict()).legal for layout in proven.nearest)


@given(legal())
def test_what_also_fits_can_be_added_and_one_more_of_it_cannot(case: tuple[MigGeometry, Layout]) -> None:
    card, layout = case
    for addition in prove(card, layout.as_dict()).also_fits:
        ((name, count),) = addition.counts
        assert prove(card, layout.plus(name, count).as_dict()).legal
        assert not prove(card, layout.plus(name, count + 1).as_dict()).legal
