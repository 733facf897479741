"""``gpuplatform check``: everything that can be said about a stack before anything is made."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from cli.capacity import capacity_json, capacity_text
from cli.judged import judged_file
from cli.published import published_outputs
from cli.stacks import stack_options, which_file
from gpuplatform.accept import check_file, report
from gpuplatform.catalog.instance_types import instance_types
from gpuplatform.catalog.prices import regions, unknown_pairs
from gpuplatform.changes import Change, compare
from gpuplatform.faults import Fault, errors, warnings
from gpuplatform.platform_pods import system_load
from gpuplatform.proofs.cost import bill
from gpuplatform.proofs.slices import cuts
from gpuplatform.settings.load import Loaded
from gpuplatform.settings.plan import plan
from gpuplatform.standard.versions import unverified
from policies.stack import rules_of_the_engine


@click.command()
@stack_options
@click.option("--was", type=click.Path(path_type=Path), metavar="FILE", help="Earlier settings: what does a change do?")
@click.option(
    "--published",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="What the running stack published: `pulumi stack output platform --json`. Read by itself on this machine.",
)
@click.option("--explain", is_flag=True, help="List what only `pulumi preview` can judge, and end.")
@click.option("--format", "output", type=click.Choice(["text", "json"]), default="text", show_default=True)
def check(
    stack: str | None, settings: Path | None, was: Path | None, published: Path | None, output: str, *, explain: bool
) -> None:
    """Judge settings: every fault in one report, the bill at rest and at the ceilings, and what is not known.

    Exit code: 0 nothing refuses them, 1 they are refused, 2 the command was misused.
    """
    if explain:
        for line in _explained():
            click.echo(line)
        return
    loaded = judged_file(which_file(stack, settings), published_outputs(stack, published))
    change = _change(was, loaded)
    if change and change.faults:
        loaded = Loaded(None, loaded.draft, (*loaded.faults, *change.faults))
    if output == "json":
        click.echo(json.dumps(_as_json(loaded, change), indent=2))
    else:
        _print(loaded)
        for line in _change_lines(change):
            click.echo(line)
    sys.exit(1 if loaded.settings is None else 0)


def _explained() -> list[str]:
    return [
        "Judged by check and by the engine: settings, and their Kubernetes objects, chart values and node groups.",
        "Judged only by the engine, with --policy-pack policies: AWS resources, which no settings hold:",
        *(f"  {name}" for name in rules_of_the_engine()),
        "`make up` previews first, so what these refuse makes nothing; so does `pulumi up --policy-pack policies`.",
    ]


def _change(was: Path | None, loaded: Loaded) -> Change | None:
    """What becomes of running nodes; None without earlier settings, or where the new ones are refused already."""
    if was is None or loaded.settings is None:
        return None
    earlier = check_file(was)
    if earlier.settings is None:
        raise click.UsageError(f"--was {was}: the earlier settings are refused themselves; give those that are applied")
    return compare(earlier.settings, loaded.settings)


def _change_lines(change: Change | None) -> list[str]:
    if change is None:
        return []
    lines: list[str] = []
    for each in change.replaced:
        lines.append(f"nodes of {each.nodepool} are replaced, {each.when}:")
        lines += [f"  {reason}" for reason in each.reasons]
    lines += [f"NodePool {name} is new" for name in change.added]
    lines += [
        f"NodePool {name} goes away: its nodes are drained at once, whatever the windows say" for name in change.removed
    ]
    return [
        *(lines or ["no running node is replaced by this change"]),
        *(
            f"warning: namespace {name} leaves the queue, and what waits there is gated for good: end its work first"
            " (docs/guides/add-a-tenant.md, take a queue away)"
            for name in change.unqueued
        ),
    ]


def _print(loaded: Loaded) -> None:
    refused = errors(loaded.faults)
    if refused:
        click.echo(report(refused))
    for each in warnings(loaded.faults):
        click.echo(f"warning: {each.path}: {each.given}; wanted: {each.allowed}. Change: {each.change}")
    if loaded.settings is None:
        return
    settings = loaded.settings
    planned = plan(settings.pools, settings.network.zones)
    cards = sum(each.ceiling_cards for each in planned)
    click.echo(
        f"{settings.environment}: accepted. {len(settings.pools)} GPU pools in {len(planned)} NodePools,"
        f" {cards} cards at most; {len(settings.tenants)} tenants."
    )
    for cut in cuts(planned):
        click.echo(str(cut))
    if loaded.draft is not None:
        for line in capacity_text(loaded.draft, settings):
            click.echo(line)
    if (carried := system_load(settings)) is not None:
        click.echo(str(carried))
    for line in _bill_lines(loaded):
        click.echo(line)
    for line in _unknown_lines(settings.cluster.version):
        click.echo(line)


def _bill_lines(loaded: Loaded) -> list[str]:
    whole = bill(loaded.draft) if loaded.draft else None
    if whole is None or loaded.settings is None:
        return []
    cost = loaded.settings.cost
    lines = [
        f"monthly floor   ${whole.floor_usd_per_month:>12,.0f}  (limit ${cost.monthly_floor_limit_usd:,})",
        f"monthly ceiling ${whole.ceiling_usd_per_month:>12,.0f}  (budget ${cost.monthly_budget_usd:,};"
        f" spot taken at {cost.spot_price_ratio:.2f} of on demand)",
    ]
    if whole.unpriced:
        lines.append(f"without a price, so not in the sums: {', '.join(whole.unpriced)}")
    return lines


def _unknown_lines(kubernetes: str) -> list[str]:
    pairs, unknown = len(instance_types()) * len(regions()), unknown_pairs()
    lines = [
        f"the catalogue has a price for {pairs - unknown} of {pairs} pairs of type and region; {unknown} are unknown"
    ]
    lines += [f"unverified version: {pin.name} {pin.version} ({pin.source})" for pin in unverified(kubernetes)]
    return lines


def _as_json(loaded: Loaded, change: Change | None) -> dict[str, object]:
    whole = bill(loaded.draft) if loaded.draft and loaded.settings else None
    kubernetes = loaded.settings.cluster.version if loaded.settings else None
    carried = system_load(loaded.settings) if loaded.settings else None
    return {
        "accepted": loaded.settings is not None,
        "errors": _faults(errors(loaded.faults)),
        "warnings": _faults(warnings(loaded.faults)),
        "monthly_floor_usd": round(whole.floor_usd_per_month, 2) if whole else None,
        "monthly_ceiling_usd": round(whole.ceiling_usd_per_month, 2) if whole else None,
        "capacity": capacity_json(loaded.draft, loaded.settings) if loaded.draft and loaded.settings else None,
        "system_nodes": carried.as_json() if carried else None,
        "unpriced_instance_types": list(whole.unpriced) if whole else [],
        "unknown_type_region_pairs": unknown_pairs(),
        "replaced_nodepools": [each.nodepool for each in change.replaced] if change else [],
        "unqueued_namespaces": list(change.unqueued) if change else [],
        "unverified_versions": [f"{pin.name} {pin.version}" for pin in unverified(kubernetes)] if kubernetes else [],
    }


def _faults(faults: list[Fault]) -> list[dict[str, str]]:
    return [fault.as_json() for fault in faults]
