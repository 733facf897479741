"""Rules, boards and autoscaling read only series that an exporter or a rule makes."""

from __future__ import annotations

import pytest

from gpuplatform.render.monitoring.scraping import KARPENTER_SERIES, KUEUE_SERIES, series_of
from gpuplatform.render.monitoring.stack import expressions
from tests.builders import STACKS, stack_settings
from tests.figures import Figures
from tests.metrics.known import asked, known_series


def unknown(expr: str, existing: frozenset[str]) -> frozenset[str]:
    return asked(expr) - existing


@pytest.mark.parametrize("stack", STACKS)
def test_every_expression_parses_and_asks_for_series_that_exist(stack: str, figures: Figures) -> None:
    settings = stack_settings(stack)
    existing, every = known_series(settings), expressions(settings)
    wrong = {where: names for where, expr in every.items() if (names := unknown(expr, existing))}
    figures(f"{stack}: {len(every)} expressions parsed; series unknown: {sum(map(len, wrong.values()))}")
    assert wrong == {}


def test_a_misspelt_series_is_named() -> None:
    existing = known_series(stack_settings("dev"))
    assert unknown("sum(karpenter_nodepool_usage) / sum(karpenter_nodepools_limit)", existing) == {
        "karpenter_nodepool_usage"
    }
    assert unknown("avg_over_time(DCGM_FI_DEV_GPU_UTILISATION[5m]) > 1", existing) == {"DCGM_FI_DEV_GPU_UTILISATION"}


def test_old_names_of_karpenters_series_are_not_known() -> None:
    existing = known_series(stack_settings("dev"))
    old_names = {"karpenter_nodeclaims_launched_total", "karpenter_nodepool_usage", "karpenter_nodepool_limit"}
    assert not existing & old_names


@pytest.mark.parametrize("exporter", [KARPENTER_SERIES, KUEUE_SERIES], ids="-".join)
@pytest.mark.parametrize("stack", STACKS)
def test_what_is_kept_of_a_scrape_is_what_is_asked_for(stack: str, exporter: tuple[str, ...]) -> None:
    begins = tuple(f"{name}_" for name in exporter)
    kept_and_asked = [(series_of(expr, exporter), asked(expr)) for expr in expressions(stack_settings(stack)).values()]
    assert any(kept for kept, _ in kept_and_asked)
    for kept, series_asked in kept_and_asked:
        assert kept == {name for name in series_asked if name.startswith(begins)}


def test_text_that_is_no_promql_is_refused() -> None:
    with pytest.raises(ValueError, match=r"\S"):
        asked("sum by (")
