"""The answer as text for a terminal, as JSON, and as a page."""

from __future__ import annotations

import json
from collections.abc import Iterable

from jinja2 import Environment, PackageLoader, StrictUndefined

from cli.simulate.advice import Trial
from cli.simulate.answer import After, Answer, Picture
from cli.simulate.explanations import Explanation
from cli.text_table import text_table
from gpuplatform.catalog.service_prices import HOURS_PER_MONTH
from sandbox.cluster import Node
from sandbox.simulate.scenario import Shock

COLUMNS = ("WORKLOAD", "PODS", "NODEPOOL", "TYPE", "MARKET", "NODES", "USD/H")
_HAPPENED = {
    Shock.INTERRUPTION: "EC2 interrupted the spot nodes of {}",
    Shock.DRIFT: "a newer image for {} was released",
}
_LONGEST = 400
"""Characters of a program's message in the text; JSON has the whole message."""


def as_text(result: Answer) -> str:
    """Tables, then why pods wait."""
    head = (
        f"{result.environment} in {result.region}, on the real scheduler and the real Karpenter;"
        f" list prices, spot at {result.spot_price_ratio:.2f} of on demand"
    )
    lines = [head, "", *_picture(result.picture)]
    if result.after:
        lines += ["", *_after(result.after)]
    lines += [f"not applied, because no controller of its kind runs here: {name}" for name in result.skipped_objects]
    lines += [f"has not settled: {name}" for name in result.unsettled_objects]
    return "\n".join(lines)


def advice_as_text(advice: Iterable[Trial]) -> str:
    """Each suggestion that succeeded in a trial, with the bill of the trial."""
    return "\n".join(f"advice: {advice_line(trial)}" for trial in advice)


def advice_line(trial: Trial) -> str:
    """One piece of advice with the bill of its trial."""
    return f"{trial.says}; tried: ${trial.usd_per_hour:,.2f} an hour, ${trial.saves_usd_per_hour:,.2f} less"


def as_json(result: Answer) -> str:
    """The complete answer, in USD an hour."""
    document = {
        "environment": result.environment,
        "region": result.region,
        "spot_price_ratio": result.spot_price_ratio,
        **_picture_json(result.picture),
        "after": None if result.after is None else _after_json(result.after),
        "not_applied": list(result.skipped_objects),
        "not_settled": list(result.unsettled_objects),
        "advice": [
            {
                "says": trial.says,
                "usd_per_hour": _cents(trial.usd_per_hour),
                "saves_usd_per_hour": _cents(trial.saves_usd_per_hour),
            }
            for trial in result.advice
        ],
    }
    return json.dumps(document, indent=2)


def as_html(result: Answer) -> str:
    """A page that needs no other files."""
    templates = Environment(
        loader=PackageLoader("cli.simulate", "."), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    pictures = [("Where the workloads land", result.picture)]
    if result.after:
        pictures.append((f"After: {event_line(result.after)}", result.after.picture))
    return templates.get_template("page.html").render(
        result=result,
        columns=COLUMNS,
        pictures=[
            (title, rows(picture), bill_line(picture), use_line(picture), picture.explanations)
            for title, picture in pictures
        ],
        node_changes=_node_changes(result.after) if result.after else [],
        advice=[advice_line(trial) for trial in result.advice],
    )


def rows(picture: Picture) -> list[tuple[str, ...]]:
    """One line for each way a workload landed."""
    return [
        (
            str(landing.workload),
            str(landing.pods),
            landing.nodepool,
            landing.instance_type,
            landing.market,
            str(landing.nodes),
            f"{landing.usd_per_hour:.2f}",
        )
        for landing in picture.landings
    ]


def bill_line(picture: Picture) -> str:
    """The bill in one line."""
    monthly = picture.usd_per_hour * HOURS_PER_MONTH
    nodes = len(picture.nodes)
    return (
        f"bill: ${picture.usd_per_hour:,.2f} an hour (${monthly:,.0f} a month at this rate) for"
        f" {nodes} {'node' if nodes == 1 else 'nodes'}, ${picture.idle_usd_per_hour:,.2f} of it"
        " for capacity that no pod uses"
    )


def use_line(picture: Picture) -> str:
    """The share of the paid capacity that pods request, in one line."""
    parts = {
        "card memory": picture.use.card_memory,
        "card compute": picture.use.card_compute,
        "host CPU": picture.use.host_cpu,
    }
    shares = [f"{name} {share:.0%}" for name, share in parts.items() if share is not None]
    return f"share of the paid capacity that pods request: {', '.join(shares) or 'no capacity is paid for'}"


def event_line(after: After) -> str:
    """The event in words."""
    return _HAPPENED[after.shock].format(after.pool)


def _picture(picture: Picture) -> list[str]:
    lines = text_table([COLUMNS, *rows(picture)]) if picture.landings else ["no pod runs"]
    for explanation in picture.explanations:
        lines += ["", *explanation_lines(explanation)]
    return [*lines, "", bill_line(picture), use_line(picture)]


def explanation_lines(explanation: Explanation) -> list[str]:
    """Why pods do not run, and what to change."""
    count = (
        f"{explanation.pods} {'pod waits' if explanation.pods == 1 else 'pods wait'}"
        if explanation.pods
        else "held back"
    )
    messages = [message if len(message) <= _LONGEST else f"{message[:_LONGEST]} …" for message in explanation.messages]
    return [
        f"{explanation.workload}: {count}",
        *(f"  {reason}" for reason in explanation.why),
        *([f"  change: {explanation.change}"] if explanation.change else []),
        *(f"  original message: {message}" for message in messages),
    ]


def _after(after: After) -> list[str]:
    return [f"after: {event_line(after)}", *_node_changes(after), "", *_picture(after.picture)]


def _node_changes(after: After) -> list[str]:
    lines = [f"  gone: {_node(node)}" for node in after.lost_nodes] or ["  no node was lost"]
    lines += [f"  new:  {_node(node)}" for node in after.new_nodes]
    return lines + [f"  held: {message}" for message in after.disruption_blocks]


def _node(node: Node) -> str:
    return f"{node.name} ({node.instance_type}, {node.market.value}, {node.zone}, ${node.usd_per_hour:.3f} an hour)"


def _picture_json(picture: Picture) -> dict[str, object]:
    return {
        "usd_per_hour": _cents(picture.usd_per_hour),
        "idle_usd_per_hour": _cents(picture.idle_usd_per_hour),
        "use": {
            "card_memory": picture.use.card_memory,
            "card_compute": picture.use.card_compute,
            "host_cpu": picture.use.host_cpu,
        },
        "placements": [
            {
                "kind": landing.workload.kind,
                "namespace": landing.workload.namespace,
                "name": landing.workload.name,
                "pool": landing.pool,
                "nodepool": landing.nodepool,
                "instance_type": landing.instance_type,
                "market": landing.market,
                "zones": list(landing.zones),
                "pods": landing.pods,
                "nodes": landing.nodes,
                "usd_per_hour": _cents(landing.usd_per_hour),
            }
            for landing in picture.landings
        ],
        "unplaced": [
            {
                "kind": explanation.workload.kind,
                "namespace": explanation.workload.namespace,
                "name": explanation.workload.name,
                "pods_waiting": explanation.pods,
                "why": list(explanation.why),
                "change": explanation.change,
                "said": list(explanation.messages),
            }
            for explanation in picture.explanations
        ],
        "nodes": [_node_json(node) for node in picture.nodes],
    }


def _after_json(after: After) -> dict[str, object]:
    return {
        "event": after.shock.value,
        "pool": after.pool,
        "nodes_lost": [_node_json(node) for node in after.lost_nodes],
        "nodes_new": [_node_json(node) for node in after.new_nodes],
        "held": list(after.disruption_blocks),
        **_picture_json(after.picture),
    }


def _node_json(node: Node) -> dict[str, object]:
    return {
        "name": node.name,
        "nodepool": node.nodepool,
        "instance_type": node.instance_type,
        "zone": node.zone,
        "market": node.market.value,
        "usd_per_hour": _cents(node.usd_per_hour),
    }


def _cents(usd: float) -> float:
    return round(usd, 4)
