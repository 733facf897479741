"""The time that each added pool and tenant costs, from one to two hundred: in check and render, and in a preview."""

from __future__ import annotations

import datetime
import time
from collections.abc import Callable, Mapping
from itertools import pairwise
from pathlib import Path

import yaml

from cli.cost.statement import statement
from cli.cost.writing import as_json
from gpuplatform.accept import accepted
from gpuplatform.render.monitoring.stack import monitoring
from gpuplatform.render.stack import render
from gpuplatform.settings.settings import Settings
from gpuplatform.settings.source import SETTINGS_KEY, Plain
from tests.bench.child import preview
from tests.bench.table import RUNS, middle, show
from tests.builders import a_card, a_market, a_namespace, a_pool, a_tenant, settings_object

SIZES = (1, 50, 100, 200)
PREVIEWED = (1, 100, 200)
BUDGET_SECONDS = 120
"""The largest previews are left out where all previews would take longer than this."""

Made = Callable[[int], dict[str, Plain]]


def with_pools(count: int) -> dict[str, Plain]:
    """Settings with a number of pools for one purpose, each with a taint of its own."""
    return settings_object(
        pools=[
            a_pool(name=f"pool-{number}", taints=[{"key": "team.example/pool", "value": f"pool-{number}"}])
            for number in range(count)
        ]
    )


def with_tenants(count: int) -> dict[str, Plain]:
    """Settings with a number of tenants of one namespace each, and enough cards for their quotas."""
    return settings_object(
        pools=[a_pool(cards=[a_card(markets=[a_market(ceiling_cards=8 * count)])])],
        tenants=[
            a_tenant(name=f"tenant-{number}", namespaces=[a_namespace(name=f"space-{number}")])
            for number in range(count)
        ],
    )


KINDS: dict[str, Made] = {"pool": with_pools, "tenant": with_tenants}


def judged_and_rendered() -> None:
    """Measure check and render in this process."""
    for kind, made in KINDS.items():
        seconds = {count: middle([_once(made(count)) for _ in range(RUNS)]) for count in SIZES}
        _table(f"Check and render by number of {kind}s, medians of {RUNS}", kind, seconds)


def priced() -> None:
    """Measure the cost statement of a stack of the largest size, with its teams and advice."""
    settings = _largest()
    _under_a_second(
        f"The bill of {SIZES[-1]} pools and tenants", lambda: as_json(statement(settings, datetime.date(2026, 11, 21)))
    )


def watched() -> None:
    """Measure the alerts, recordings and dashboards of the same stack."""
    settings = _largest()
    _under_a_second(f"Monitoring of {SIZES[-1]} pools and tenants", lambda: monitoring(settings))


def _largest() -> Settings:
    return accepted({**with_pools(SIZES[-1]), "tenants": with_tenants(SIZES[-1])["tenants"]})


def _under_a_second(title: str, made: Callable[[], object]) -> None:
    seconds: list[float] = []
    for _ in range(RUNS):
        begun = time.perf_counter()
        made()
        seconds.append(time.perf_counter() - begun)
    show(f"{title}, median of {RUNS}", ["", "figure", "target"], [["seconds", f"{middle(seconds):.3f}", "< 1"]])


def previewed(folder: Path, variables: Mapping[str, str]) -> None:
    """Measure the whole preview on the engine, once for each size."""
    begun = time.monotonic()
    for kind, made in KINDS.items():
        seconds: dict[int, float] = {}
        for count in PREVIEWED:
            if count == PREVIEWED[-1] and time.monotonic() - begun > BUDGET_SECONDS / 2:
                print(f"\n{count} {kind}s are left out: half of the {BUDGET_SECONDS} s for previews are spent")
                continue
            stack_file = folder / f"Pulumi.{kind}-{count}.yaml"
            stack_file.write_text(yaml.safe_dump({"config": {SETTINGS_KEY: made(count)}}), encoding="utf-8")
            seconds[count] = preview(folder / f"{kind}-{count}" / "dev", stack_file, variables).seconds
        _table(f"Preview on the engine by number of {kind}s, one run each", kind, seconds)


def _once(raw: dict[str, Plain]) -> float:
    begun = time.perf_counter()
    render(accepted(raw))
    return time.perf_counter() - begun


def _table(title: str, kind: str, seconds: Mapping[int, float]) -> None:
    added = {after: 1000 * (seconds[after] - seconds[before]) / (after - before) for before, after in pairwise(seconds)}
    show(
        title,
        [f"{kind}s", "seconds", f"ms per added {kind}"],
        [
            [str(count), f"{spent:.3f}", f"{added[count]:.2f}" if count in added else ""]
            for count, spent in seconds.items()
        ],
        [f"target: the last column stays the same{_growth(list(added.values()))}"],
    )


def _growth(added: list[float]) -> str:
    if len(added) < 2 or added[0] <= 0:
        return ""
    return f"; its largest is {max(added) / added[0]:.1f} times its first"
