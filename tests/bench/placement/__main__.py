"""``make bench-placement``: a day's bill on prod's pools, compared with the lower bound and other designs' pools."""

from __future__ import annotations

import statistics
import sys
from collections.abc import Callable
from pathlib import Path

import click

from gpuplatform.accept import check_file
from gpuplatform.plan.prices import Prices
from sandbox.cluster import cluster_commands_at_hand
from tests.bench.placement import baselines, workload
from tests.bench.placement.offers import meant, of_catalog, of_stack
from tests.bench.placement.pods import in_our_words
from tests.bench.placement.runs import Day, on_our_pools, on_their_pools
from tests.bench.placement.solver import InfeasibleError, chosen, least

ROOT = Path(__file__).parents[3]
_LIFTED = 10


@click.command()
@click.option("--workload", "file", type=click.Path(path_type=Path), default=ROOT / "examples/reference-day.csv")
@click.option("--runs", type=click.IntRange(min=1), default=3, show_default=True)
@click.option("--ours-only", is_flag=True, help="Without other designs' pools.")
def main(file: Path, runs: int, ours_only: bool) -> None:
    """Print the bills of a day and their ratios."""
    settings = check_file(ROOT / "Pulumi.prod.yaml").settings
    assert settings is not None, "the repository's own stacks are accepted"
    commands = cluster_commands_at_hand()
    if commands is None:
        sys.exit("the sandbox's tools are not built. Change: make tools")
    try:
        rows = workload.read(file)
        prices = Prices(settings.region, settings.cost)
        bound = least(rows, of_catalog(prices))
        plan = chosen(rows, of_stack(settings, prices), meant)
    except (workload.WorkloadError, InfeasibleError) as error:
        sys.exit(str(error))
    pods = sum(row.pods for row in rows)
    print(f"{file.name}: {len(rows)} workloads, {pods} pods; median of {runs}.")
    print(f"Spot is taken at {settings.cost.spot_price_ratio:.2f} of on demand.")
    for row, offer, count in plan.pods:
        print(f"  {count:3} {row.name:16} mean {offer.planned.name if offer.planned else ''} ({offer})")
    print(f"{'':44}{'$/h':>8} {'× bound':>8} {'running':>8} {'astray':>7}")
    _line("least, by a solver over every type", bound.bound_usd_per_hour, bound.bound_usd_per_hour)
    documents = in_our_words(plan, settings)
    _measure("prod's pools", runs, bound.bound_usd_per_hour, lambda: on_our_pools(settings, commands, documents))
    if ours_only:
        return
    zones = settings.network.zones
    for baseline in (
        baselines.guide(rows, zones, lifted=None),
        baselines.guide(rows, zones, lifted=_LIFTED),
        baselines.undivided(rows, settings),
    ):
        _measure(
            baseline.title,
            runs,
            bound.bound_usd_per_hour,
            lambda baseline=baseline: on_their_pools(settings, commands, baseline),
        )


def _measure(title: str, runs: int, bound: float, run: Callable[[], Day]) -> None:
    days = sorted((run() for _ in range(runs)), key=lambda day: day.usd_per_hour)
    bill = statistics.median(day.usd_per_hour for day in days)
    running = min(day.running for day in days)
    _line(title, bill, bound, str(running), str(max(day.astray for day in days)))
    middle = days[len(days) // 2]
    for nodes, count in sorted(middle.nodes.items()):
        print(f"      {count:3} {nodes}")
    for why in (*middle.moving, *middle.waiting)[:5]:
        print(f"      {why}")


def _line(title: str, usd: float, bound: float, running: str = "", astray: str = "") -> None:
    print(f"{title:44}{usd:8.2f} {usd / bound:8.3f} {running:>8} {astray:>7}", flush=True)


if __name__ == "__main__":
    main()
