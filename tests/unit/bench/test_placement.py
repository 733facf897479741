"""The arithmetic of ``make bench-placement``; the run itself needs a cluster."""

from dataclasses import replace
from pathlib import Path

import pytest

from gpuplatform.plan.prices import Prices
from gpuplatform.settings.settings import Cost
from gpuplatform.standard.labels import Purpose
from tests.bench.placement.offers import meant, of_catalog, of_stack
from tests.bench.placement.pods import MEANT, in_our_words
from tests.bench.placement.solver import InfeasibleError, chosen, least
from tests.bench.placement.workload import COLUMNS, Row, WorkloadError, read
from tests.builders import stack_settings

DAY = Path(__file__).parents[3] / "examples/reference-day.csv"
PRICES = Prices("us-east-1", Cost(monthly_floor_limit_usd=0, monthly_budget_usd=0, spot_price_ratio=0.4))
SMALL = Row("small", "ml-serving", Purpose.INFER, 3, 1, 14.0, 0.6, True, False, 2000, 8192)


def test_the_least_for_whole_small_cards_is_the_cheapest_node_for_each_pod() -> None:
    solution = least([SMALL], of_catalog(PRICES))
    assert solution.usd_per_hour == pytest.approx(3 * 0.526)
    assert [(offer.node.name, count) for offer, count in solution.nodes] == [("g4dn.xlarge", 3)]
    assert solution.bound_usd_per_hour == pytest.approx(solution.usd_per_hour)


def test_an_interruptible_pod_is_paid_for_at_the_price_of_spot() -> None:
    assert least([replace(SMALL, interruptible=True)], of_catalog(PRICES)).usd_per_hour == pytest.approx(3 * 0.2104)


def test_what_no_card_holds_has_no_bill() -> None:
    with pytest.raises(InfeasibleError, match="no instance type carries small"):
        least([replace(SMALL, memory_gib=900)], of_catalog(PRICES))


@pytest.mark.slow
def test_prods_pools_can_carry_the_reference_day_near_the_least_and_no_pod_means_anothers_purpose() -> None:
    settings, rows = stack_settings("prod"), read(DAY)
    assert sum(row.pods for row in rows) == 204
    plan = chosen(rows, of_stack(settings, PRICES), meant)
    bound = least(rows, of_catalog(PRICES))
    assert bound.bound_usd_per_hour <= plan.usd_per_hour <= 1.03 * bound.bound_usd_per_hour
    for row, offer, _ in plan.pods:
        assert offer.planned is not None
        assert offer.planned.pool.purpose is row.purpose or offer.planned.pool.name == "worker"
    documents = in_our_words(plan, settings)
    names = {row.name for row, _, _ in plan.pods}
    assert {str(document["metadata"]["name"]).rpartition("-on-")[0] for document in documents} >= names - {""}  # type: ignore[index]
    assert all(MEANT in str(document) for document in documents)


def test_every_fault_of_a_workload_file_is_named_at_once(tmp_path: Path) -> None:
    good = "a,ml-serving,Job,infer,1,1,1,8,0.1,yes,no,2,8,60"
    file = tmp_path / "day.csv"
    file.write_text(
        "\n".join([",".join(COLUMNS), good.replace("Job,infer,1", "Job,infer,0"), good.replace("yes", "?")])
    )
    with pytest.raises(WorkloadError) as refused:
        read(file)
    message = str(refused.value)
    assert "row 1 (a): replicas is 0; wanted: 1 or more" in message
    assert "row 2 (a): isolation is '?'; wanted: yes or no" in message
    file.write_text("name,replicas\n")
    with pytest.raises(WorkloadError, match="no column team, kind"):
        read(file)
