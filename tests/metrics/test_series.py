"""Nothing asks for a series that nobody makes: rules, boards and autoscaling, by the real parser."""

from __future__ import annotations

import pytest

from gpuplatform.render.monitoring.scraping import KARPENTER_SERIES, KUEUE_SERIES, series_of
from gpuplatform.render.monitoring.stack import expressions
from tests.builders import STACKS, stack_settings
from tests.figures import Figures
from tests.metrics.known import asked, known_series


def unknown(expr: str, known: frozenset[str]) -> frozenset[str]:
    return asked(expr) - known


@pytest.mark.parametrize("stack", STACKS)
def test_every_expression_parses_and_asks_for_series_that_exist(stack: str, figures: Figures) -> None:
    settings = stack_settings(stack)
    known, every = known_series(settings), expressions(settings)
    wrong = {where: names for where, expr in every.items() if (names := unknown(expr, known))}
    figures(f"{stack}: {len(every)} expressions parsed; series unknown: {sum(map(len, wrong.values()))}")
    assert wrong == {}


def test_a_misspelt_series_is_named() -> None:
    known = known_series(stack_settings("dev"))
    assert unknown("sum(karpenter_nodepool_usage) / sum(karpenter_nodepools_limit)", known) == {
        "karpenter_nodepool_usage"
    }
    assert unknown("avg_over_time(DCGM_FI_DEV_GPU_UTILISATION[5m]) > 1", known) == {"DCGM_FI_DEV_GPU_UTILISATION"}


def test_old_names_of_karpenters_series_are_not_known() -> None:
    known = known_series(stack_settings("dev"))
    assert not known & {"karpenter_nodeclaims_launched_total", "karpenter_nodepool_usage", "karpenter_nodepool_limit"}


@pytest.mark.parametrize("exporter", [KARPENTER_SERIES, KUEUE_SERIES], ids="-".join)
@pytest.mark.parametrize("stack", STACKS)
def test_what_is_kept_of_a_scrape_is_what_is_asked_for(stack: str, exporter: tuple[str, ...]) -> None:
    begins = tuple(f"{each}_" for each in exporter)
    found = [(series_of(expr, exporter), asked(expr)) for expr in expressions(stack_settings(stack)).values()]
    assert any(kept for kept, _ in found)
    for kept, wanted in found:
        assert kept == {each for each in wanted if each.startswith(begins)}


def test_text_that_is_no_promql_is_refused() -> None:
    with pytest.raises(ValueError, match=r"\S"):
        asked("sum by (")
