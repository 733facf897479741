"""``gpuplatform check``: checks a stack's settings before anything is created."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

import click

from cli.capacity import capacity_json, capacity_text
from cli.comparison.change_report import ChangeReport, change_report, no_change_json
from cli.policy_check import check_with_policies
from cli.published import published_outputs
from cli.stacks import stack_options, which_file
from gpuplatform.accept import Loaded, report
from gpuplatform.analysis.cost import bill
from gpuplatform.analysis.mig.slices import cuts
from gpuplatform.catalog.instance_types import instance_types
from gpuplatform.catalog.prices import regions, unknown_pairs
from gpuplatform.faults import Fault, Severity, errors, warnings
from gpuplatform.plan.node_pools import plan
from gpuplatform.platform_pods import system_load
from gpuplatform.standard.versions import unverified
from policies.judge import rules_of_the_engine


@click.command()
@stack_options
@click.option(
    "--was",
    metavar="FILE|REVISION",
    help="Earlier settings to compare with: a file, or a git revision, which its own code renders.",
)
@click.option(
    "--workloads",
    type=click.Path(path_type=Path),
    metavar="PATH",
    help="With --was: manifests that must still land on their pools.  [default: the repository's examples]",
)
@click.option(
    "--allow-breaking", is_flag=True, help="With --was: report lost pools and stranded manifests as warnings only."
)
@click.option(
    "--published",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Output of `pulumi stack output platform --json` of the running stack; not needed if it is on this machine.",
)
@click.option("--explain", is_flag=True, help="List the rules that only `pulumi preview` can check, and exit.")
@click.option("--format", "output", type=click.Choice(["text", "json"]), default="text", show_default=True)
def check(
    stack: str | None,
    settings: Path | None,
    was: str | None,
    workloads: Path | None,
    published: Path | None,
    output: str,
    *,
    allow_breaking: bool,
    explain: bool,
) -> None:
    """Check settings: report every fault, the cost at rest and at the ceilings, and the facts that are not known.

    Exit code: 0 accepted, 1 refused, 2 wrong usage.
    """
    if explain:
        for line in _engine_rule_lines():
            click.echo(line)
        return
    if was is None and (workloads is not None or allow_breaking):
        raise click.UsageError("--workloads and --allow-breaking need a change to check: give --was too")
    file = which_file(stack, settings)
    loaded = check_with_policies(file, published_outputs(stack, published))
    change = None if was is None else change_report(was, file, loaded, workloads)
    if change is not None:
        severity = Severity.WARNING if allow_breaking else Severity.ERROR
        loaded = _with_faults(loaded, (*change.faults, *change.breaks(severity)))
    if output == "json":
        click.echo(json.dumps(_as_json(loaded, change), indent=2))
    else:
        _print(loaded)
        for line in change.lines if change else ():
            click.echo(line)
    sys.exit(1 if loaded.settings is None else 0)


def _with_faults(loaded: Loaded, faults: tuple[Fault, ...]) -> Loaded:
    """The same with further faults; an error among them refuses the settings."""
    return replace(loaded, settings=None if errors(faults) else loaded.settings, faults=(*loaded.faults, *faults))


def _engine_rule_lines() -> list[str]:
    return [
        "Checked by `gpuplatform check` and by the engine: settings, Kubernetes objects, chart values and node groups.",
        "Checked only by the engine, with --policy-pack policies: AWS resources, which settings do not contain:",
        *(f"  {name}" for name in rules_of_the_engine()),
        "`make up` and `pulumi up --policy-pack policies` preview first: if one of these refuses, nothing is created.",
    ]


def _print(loaded: Loaded) -> None:
    if faults := errors(loaded.faults):
        click.echo(report(faults))
    for warning in warnings(loaded.faults):
        click.echo(f"warning: {warning.path}: {warning.given}; allowed: {warning.allowed}. Change: {warning.change}")
    if loaded.settings is None:
        return
    settings = loaded.settings
    node_pools = plan(settings.pools, settings.network.zones)
    cards = sum(node_pool.ceiling_cards for node_pool in node_pools)
    click.echo(
        f"{settings.environment}: accepted. {len(settings.pools)} GPU pools in {len(node_pools)} NodePools,"
        f" {cards} cards at most; {len(settings.tenants)} tenants."
    )
    for cut in cuts(node_pools):
        click.echo(str(cut))
    if loaded.partial_settings is not None:
        for line in capacity_text(loaded.partial_settings, settings):
            click.echo(line)
    if (load := system_load(settings)) is not None:
        click.echo(str(load))
    for line in _bill_lines(loaded):
        click.echo(line)
    for line in _unknown_lines(settings.cluster.version):
        click.echo(line)


def _bill_lines(loaded: Loaded) -> list[str]:
    stack_bill = bill(loaded.partial_settings) if loaded.partial_settings else None
    if stack_bill is None or loaded.settings is None:
        return []
    cost = loaded.settings.cost
    lines = [
        f"monthly floor   ${stack_bill.floor_usd_per_month:>12,.0f}  (limit ${cost.monthly_floor_limit_usd:,})",
        f"monthly ceiling ${stack_bill.ceiling_usd_per_month:>12,.0f}  (budget ${cost.monthly_budget_usd:,};"
        f" spot priced at {cost.spot_price_ratio:.2f} of on demand)",
    ]
    if stack_bill.unpriced:
        lines.append(f"not in these sums, because the price is unknown: {', '.join(stack_bill.unpriced)}")
    return lines


def _unknown_lines(kubernetes: str) -> list[str]:
    pair_count, unknown_count = len(instance_types()) * len(regions()), unknown_pairs()
    known_count = pair_count - unknown_count
    lines = [
        f"the catalog has a price for {known_count} of {pair_count} pairs of type and region;"
        f" {unknown_count} are unknown"
    ]
    lines += [f"unverified version: {pin.name} {pin.version} ({pin.source})" for pin in unverified(kubernetes)]
    return lines


def _as_json(loaded: Loaded, change: ChangeReport | None) -> dict[str, object]:
    stack_bill = bill(loaded.partial_settings) if loaded.partial_settings and loaded.settings else None
    kubernetes = loaded.settings.cluster.version if loaded.settings else None
    load = system_load(loaded.settings) if loaded.settings else None
    return {
        "accepted": loaded.settings is not None,
        "errors": _faults_json(errors(loaded.faults)),
        "warnings": _faults_json(warnings(loaded.faults)),
        "monthly_floor_usd": round(stack_bill.floor_usd_per_month, 2) if stack_bill else None,
        "monthly_ceiling_usd": round(stack_bill.ceiling_usd_per_month, 2) if stack_bill else None,
        "capacity": capacity_json(loaded.partial_settings, loaded.settings)
        if loaded.partial_settings and loaded.settings
        else None,
        "system_nodes": load.as_json() if load else None,
        "unpriced_instance_types": list(stack_bill.unpriced) if stack_bill else [],
        "unknown_type_region_pairs": unknown_pairs(),
        **(change.as_json() if change else no_change_json()),
        "unverified_versions": [f"{pin.name} {pin.version}" for pin in unverified(kubernetes)] if kubernetes else [],
    }


def _faults_json(faults: list[Fault]) -> list[dict[str, str]]:
    return [fault.as_json() for fault in faults]
