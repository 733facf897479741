"""The answer as text for a terminal, as JSON, and as a page."""

from __future__ import annotations

import json
from collections.abc import Iterable

from jinja2 import Environment, PackageLoader, StrictUndefined

from cli.simulate.advice import Tried
from cli.simulate.answer import After, Answer, Picture
from cli.simulate.explained import Explained
from cli.tables import aligned
from gpuplatform.catalog.service_prices import HOURS_PER_MONTH
from sandbox.cluster import Node
from sandbox.simulate.question import Shock

COLUMNS = ("WORKLOAD", "PODS", "NODEPOOL", "TYPE", "MARKET", "NODES", "USD/H")
_HAPPENED = {Shock.INTERRUPTION: "EC2 took the spot nodes of {} back", Shock.DRIFT: "a newer image for {} was released"}
_LONGEST = 400
"""Characters of a program's own words in the text; JSON has them whole."""


def as_text(given: Answer) -> str:
    """Tables, then why pods wait."""
    head = (
        f"{given.environment} in {given.region}, on the real scheduler and the real Karpenter;"
        f" list prices, spot at {given.spot_price_ratio:.2f} of on demand"
    )
    lines = [head, "", *_picture(given.picture)]
    if given.after:
        lines += ["", *_after(given.after)]
    lines += [f"not applied, nobody serves its kind here: {each}" for each in given.left_out]
    lines += [f"has not settled: {each}" for each in given.moving]
    return "\n".join(lines)


def advice_as_text(advice: Iterable[Tried]) -> str:
    """What was tried and held; the trial's bill beside it."""
    return "\n".join(f"advice: {advised(each)}" for each in advice)


def advised(each: Tried) -> str:
    """One piece of advice with the bill of its trial."""
    return f"{each.says}; tried: ${each.usd_per_hour:,.2f} an hour, ${each.saves_usd_per_hour:,.2f} less"


def as_json(given: Answer) -> str:
    """All of it, in USD an hour."""
    document = {
        "environment": given.environment,
        "region": given.region,
        "spot_price_ratio": given.spot_price_ratio,
        **_picture_json(given.picture),
        "after": None if given.after is None else _after_json(given.after),
        "not_applied": list(given.left_out),
        "not_settled": list(given.moving),
        "advice": [
            {
                "says": each.says,
                "usd_per_hour": _cents(each.usd_per_hour),
                "saves_usd_per_hour": _cents(each.saves_usd_per_hour),
            }
            for each in given.advice
        ],
    }
    return json.dumps(document, indent=2)


def as_html(given: Answer) -> str:
    """A page that needs nothing beside itself."""
    templates = Environment(
        loader=PackageLoader("cli.simulate", "."), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    pictures = [("Where the workloads land", given.picture)]
    if given.after:
        pictures.append((f"After: {happened(given.after)}", given.after.picture))
    return templates.get_template("page.html").render(
        given=given,
        columns=COLUMNS,
        pictures=[(title, rows(each), bill(each), used(each), each.unplaced) for title, each in pictures],
        moved=_moved(given.after) if given.after else [],
        advice=[advised(each) for each in given.advice],
    )


def rows(given: Picture) -> list[tuple[str, ...]]:
    """One line for each way a workload landed."""
    return [
        (
            str(each.workload),
            str(each.pods),
            each.nodepool,
            each.instance_type,
            each.market,
            str(each.nodes),
            f"{each.usd_per_hour:.2f}",
        )
        for each in given.landings
    ]


def bill(given: Picture) -> str:
    """The bill in one line."""
    monthly = given.usd_per_hour * HOURS_PER_MONTH
    nodes = len(given.nodes)
    return (
        f"bill: ${given.usd_per_hour:,.2f} an hour (${monthly:,.0f} a month of such hours) for"
        f" {nodes} {'node' if nodes == 1 else 'nodes'}, ${given.idle_usd_per_hour:,.2f} of it taken by no pod"
    )


def used(given: Picture) -> str:
    """The use of what is paid for in one line."""
    parts = {
        "card memory": given.use.card_memory,
        "card compute": given.use.card_compute,
        "host CPU": given.use.host_cpu,
    }
    known = [f"{name} {share:.0%}" for name, share in parts.items() if share is not None]
    return f"asked for, of what is paid for: {', '.join(known) or 'nothing is paid for'}"


def happened(given: After) -> str:
    """The event in words."""
    return _HAPPENED[given.shock].format(given.pool)


def _picture(given: Picture) -> list[str]:
    lines = aligned([COLUMNS, *rows(given)]) if given.landings else ["no pod runs"]
    for each in given.unplaced:
        lines += ["", *unplaced(each)]
    return [*lines, "", bill(given), used(given)]


def unplaced(given: Explained) -> list[str]:
    """Why pods do not run, and what to change."""
    count = f"{given.pods} {'pod waits' if given.pods == 1 else 'pods wait'}" if given.pods else "held back"
    said = [each if len(each) <= _LONGEST else f"{each[:_LONGEST]} …" for each in given.said]
    return [
        f"{given.workload}: {count}",
        *(f"  {each}" for each in given.why),
        *([f"  change: {given.change}"] if given.change else []),
        *(f"  in their words: {each}" for each in said),
    ]


def _after(given: After) -> list[str]:
    return [f"after: {happened(given)}", *_moved(given), "", *_picture(given.picture)]


def _moved(given: After) -> list[str]:
    lines = [f"  gone: {_node(each)}" for each in given.lost] or ["  no node went"]
    lines += [f"  new:  {_node(each)}" for each in given.came]
    return lines + [f"  held: {each}" for each in given.held]


def _node(each: Node) -> str:
    return f"{each.name} ({each.instance_type}, {each.market.value}, {each.zone}, ${each.usd_per_hour:.3f} an hour)"


def _picture_json(given: Picture) -> dict[str, object]:
    return {
        "usd_per_hour": _cents(given.usd_per_hour),
        "idle_usd_per_hour": _cents(given.idle_usd_per_hour),
        "use": {
            "card_memory": given.use.card_memory,
            "card_compute": given.use.card_compute,
            "host_cpu": given.use.host_cpu,
        },
        "placements": [
            {
                "kind": each.workload.kind,
                "namespace": each.workload.namespace,
                "name": each.workload.name,
                "pool": each.pool,
                "nodepool": each.nodepool,
                "instance_type": each.instance_type,
                "market": each.market,
                "zones": list(each.zones),
                "pods": each.pods,
                "nodes": each.nodes,
                "usd_per_hour": _cents(each.usd_per_hour),
            }
            for each in given.landings
        ],
        "unplaced": [
            {
                "kind": each.workload.kind,
                "namespace": each.workload.namespace,
                "name": each.workload.name,
                "pods_waiting": each.pods,
                "why": list(each.why),
                "change": each.change,
                "said": list(each.said),
            }
            for each in given.unplaced
        ],
        "nodes": [_node_json(each) for each in given.nodes],
    }


def _after_json(given: After) -> dict[str, object]:
    return {
        "event": given.shock.value,
        "pool": given.pool,
        "nodes_lost": [_node_json(each) for each in given.lost],
        "nodes_new": [_node_json(each) for each in given.came],
        "held": list(given.held),
        **_picture_json(given.picture),
    }


def _node_json(each: Node) -> dict[str, object]:
    return {
        "name": each.name,
        "nodepool": each.nodepool,
        "instance_type": each.instance_type,
        "zone": each.zone,
        "market": each.market.value,
        "usd_per_hour": _cents(each.usd_per_hour),
    }


def _cents(usd: float) -> float:
    return round(usd, 4)
