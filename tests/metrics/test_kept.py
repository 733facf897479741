"""The number of series that monitoring keeps is computed from settings, and has a bound."""

from __future__ import annotations

import pytest

from gpuplatform.catalog.dcgm_counters import counters
from gpuplatform.plan.node_pools import plan
from gpuplatform.render.monitoring.scraping import Kept, kept
from gpuplatform.render.monitoring.stack import read_of_karpenter
from gpuplatform.settings.settings import Settings
from gpuplatform.settings.source import Plain
from tests.builders import STACKS, a_pool, a_slice_pool, some_settings, stack_settings
from tests.figures import Figures

PER_NODEPOOL = 50
PER_NODE = 2000
"""Eight cards of seven slices are the most that a node can bring; a larger counter file must say why."""


def counted(settings: Settings) -> list[Kept]:
    return [kept(node_pool, read_of_karpenter(settings)) for node_pool in plan(settings.pools, settings.network.zones)]


@pytest.mark.parametrize("stack", STACKS)
def test_series_kept_per_nodepool_and_per_node_are_bounded(stack: str, figures: Figures) -> None:
    counts = counted(stack_settings(stack))
    of_nodepool, of_node = (max(getattr(count, name) for count in counts) for name in ("per_nodepool", "per_node"))
    figures(f"{stack}: series kept at most {of_nodepool} per NodePool, {of_node} per node")
    assert 0 < of_nodepool <= PER_NODEPOOL
    assert 0 < of_node <= PER_NODE


def test_every_nodepool_brings_as_many_however_many_there_are() -> None:
    def of(count: int) -> set[int]:
        pools: list[Plain] = [
            a_pool(name=f"pool-{number}", taints=[{"key": "team.example/pool", "value": f"pool-{number}"}])
            for number in range(count)
        ]
        return {count_of_pool.per_nodepool for count_of_pool in counted(some_settings(pools=pools))}

    assert of(1) == of(20)


def test_a_slice_is_measured_by_itself_and_a_share_is_not() -> None:
    (sliced,) = counted(some_settings(pools=[a_slice_pool()]))
    (whole,) = counted(some_settings(pools=[a_slice_pool(sharing="exclusive")]))
    (planned,) = plan(some_settings(pools=[a_slice_pool()]).pools, ("us-east-1a",))
    cards = max(instance_type.cards for instance_type in planned.types)
    assert sliced.per_node - whole.per_node == len(counters()) * cards * (planned.units_per_card - 1)
    shared: Plain = {"time_slicing": 4}
    assert counted(some_settings(pools=[a_pool(sharing=shared)])) == counted(some_settings())


def test_a_series_of_which_nobody_wrote_how_many_there_are_is_named() -> None:
    (planned,) = plan(some_settings().pools, ("us-east-1a",))
    with pytest.raises(KeyError, match="karpenter_pods_state"):
        kept(planned, {"karpenter_pods_state"})
