import copy
from collections.abc import Iterator

from hypothesis import given, settings
from hypothesis import strategies as st

from gpuplatform import accept
from gpuplatform.faults import errors
from gpuplatform.settings import partial, source
from gpuplatform.settings.source import Plain
from tests.builders import STACKS, a_pool, a_slice_pool, a_tenant, settings_object, stack_file
from tests.examples import examples

Place = tuple[int | str, ...]
STACK_OBJECTS = {stack: source.read(stack_file(stack))[0] for stack in STACKS}


def places(value: Plain, at: Place = ()) -> Iterator[Place]:
    """Every place in an object, the object itself left out."""
    below = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in below:
        yield (*at, key)
        yield from places(inner, (*at, key))


def changed(value: Plain, place: Place, new: Plain, remove: bool = False) -> Plain:
    """A copy with another value at a place, or without it."""
    result = copy.deepcopy(value)
    owner = result
    for part in place[:-1]:
        owner = owner[str(part)] if isinstance(owner, dict) else owner[int(part)] if isinstance(owner, list) else None
    last = place[-1]
    if isinstance(owner, dict):
        if remove:
            del owner[str(last)]
        else:
            owner[str(last)] = new
    elif isinstance(owner, list):
        if remove:
            owner.pop(int(last))
        else:
            owner[int(last)] = new
    return result


stacks = st.sampled_from(STACKS).map(lambda stack: STACK_OBJECTS[stack])
positions = st.floats(0, 1, exclude_max=True)
leaves = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8))
anything: st.SearchStrategy[Plain] = st.recursive(
    leaves,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=8), inner, max_size=3)),
    max_leaves=6,
)


def pick(value: Plain, position: float) -> Place:
    every = list(places(value))
    return every[int(position * len(every))]


@settings(max_examples=examples(150))
@given(stacks, positions)
def test_a_value_that_fits_nowhere_is_refused_wherever_it_stands(raw: Plain, position: float) -> None:
    wrong = changed(raw, pick(raw, position), {"alien": {"alien": True}})
    loaded = accept.check(wrong)
    assert loaded.settings is None
    assert errors(loaded.faults)


@settings(max_examples=examples(150))
@given(stacks, st.lists(st.tuples(positions, anything), min_size=1, max_size=8))
def test_no_corruption_makes_a_judge_raise(raw: Plain, changes: list[tuple[float, Plain]]) -> None:
    for position, new in changes:
        if list(places(raw)):
            raw = changed(raw, pick(raw, position), new)
    loaded = accept.check(raw)
    assert (loaded.settings is None) == bool(errors(loaded.faults))


@settings(max_examples=examples(150))
@given(stacks, st.lists(positions, min_size=1, max_size=8))
def test_no_deletion_makes_a_judge_raise(raw: Plain, deleted: list[float]) -> None:
    for position in deleted:
        if list(places(raw)):
            raw = changed(raw, pick(raw, position), None, remove=True)
    loaded = accept.check(raw)
    assert (loaded.settings is None) == bool(errors(loaded.faults))


@settings(max_examples=examples(60))
@given(anything)
def test_no_object_at_all_makes_a_judge_raise(raw: Plain) -> None:
    assert accept.check(raw).settings is None
    assert accept.check(raw).faults


def read(**overrides: Plain) -> partial.PartialSettings:
    return partial.read(settings_object(**overrides))[1]


def test_a_wrong_pool_is_mended_and_is_not_one_of_the_whole_ones() -> None:
    parts = read(pools=[a_pool(efa="yes"), a_slice_pool()])
    assert [pool.name for pool in parts.pools] == ["serve", "worker"]
    assert [pool.name for pool in parts.whole_pools] == ["worker"]
    assert parts.pools[0].efa is False


def test_an_item_that_lacks_what_nothing_can_stand_in_for_is_left_out() -> None:
    nameless = a_pool()
    del nameless["name"]
    assert [pool.name for pool in read(pools=[nameless, a_slice_pool()]).pools] == ["worker"]


def test_a_missing_purpose_does_not_hide_the_rest_of_a_pool() -> None:
    aimless = a_pool()
    del aimless["purpose"]
    parts = read(pools=[aimless])
    assert [pool.name for pool in parts.pools] == ["serve"]
    assert parts.whole_pools == ()


def test_parts_that_are_gone_altogether_are_none() -> None:
    parts = read(network="10.0.0.0/16", cost=[], region=7)
    assert (parts.network, parts.cost, parts.region, parts.zones) == (None, None, None, ())


def test_what_a_broken_pool_names_is_not_held_against_tenants() -> None:
    tenants: list[Plain] = [
        a_tenant(
            namespaces=[
                {
                    "name": "ml",
                    "environment": "x",
                    "priorities": ["training-normal"],
                    "service_account": "trainer",
                    "quota": {"nvidia.com/mig-1g.10gb": 7},
                }
            ]
        )
    ]
    broken = a_slice_pool(cards="A100")
    paths = [fault.path for fault in accept.check(settings_object(pools=[a_pool(), broken], tenants=tenants)).faults]
    assert paths == ["pools[worker].cards"]


def test_valid_settings_are_their_own_draft() -> None:
    settings_, parts, faults = partial.read(settings_object(pools=[a_pool(), a_slice_pool()]))
    assert settings_ is not None
    assert faults == []
    assert parts == partial.of_settings(settings_)
