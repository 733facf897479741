"""The bill is divided among workloads and idle capacity; utilization is the requested part of what is paid for."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuplatform.accept import check_file
from gpuplatform.settings.settings import Settings
from gpuplatform.standard.markets import Market
from sandbox.cluster import Node
from sandbox.simulate.owners import Workload
from sandbox.simulate.snapshot import PodState, Snapshot
from sandbox.simulate.utilization import idle_usd_per_hour, landings, use

SLICE = "nvidia.com/mig-1g.10gb"
A, B = Workload("Job", "ml-training", "a"), Workload("Job", "ml-training", "b")
P4DE_USD = 27.44705


def settings_of(stack: str) -> Settings:
    settings = check_file(Path(__file__).parents[4] / f"Pulumi.{stack}.yaml").settings
    assert settings is not None
    return settings


DEV = settings_of("dev")


def node(name: str) -> Node:
    offers = {"cpu": "95", SLICE: "56"}
    return Node(name, "worker-a100-80gb-on-demand", "p4de.24xlarge", "us-east-1a", Market.ON_DEMAND, P4DE_USD, offers)


def on(name: str | None, workload: Workload, number: int) -> PodState:
    return PodState(workload, f"{workload.name}-{number}", name, {SLICE: Fraction(1), "cpu": Fraction(1)}, "", "")


@given(first=st.integers(0, 28), second=st.integers(0, 28), waiting=st.integers(0, 3))
def test_workloads_and_idle_add_up_to_the_bill(first: int, second: int, waiting: int) -> None:
    pods = (
        *(on("one", A, number) for number in range(first)),
        *(on("one", B, number) for number in range(second)),
        *(on(None, B, 100 + number) for number in range(waiting)),
    )
    snapshot = Snapshot(pods, (), (node("one"), node("two")), frozenset())
    parts = sum(landing.usd_per_hour for landing in landings(snapshot, DEV))
    assert parts + idle_usd_per_hour(snapshot, DEV) == pytest.approx(2 * P4DE_USD)
    assert parts == pytest.approx((first + second) / 56 * P4DE_USD)


def test_a_node_full_of_slices_uses_seven_eighths_of_its_cards_memory_and_all_their_compute() -> None:
    snapshot = Snapshot(tuple(on("one", A, number) for number in range(56)), (), (node("one"),), frozenset())
    utilization = use(snapshot, DEV)
    assert utilization.card_compute == pytest.approx(1.0)
    assert utilization.card_memory == pytest.approx(56 * 10 / (8 * 80))
    assert utilization.host_cpu == pytest.approx(56 / 95)


def test_without_nodes_there_is_nothing_to_use() -> None:
    utilization = use(Snapshot((), (), (), frozenset()), DEV)
    assert (utilization.card_memory, utilization.card_compute, utilization.host_cpu) == (None, None, None)
