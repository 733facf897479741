"""``gpuplatform pods``: where each pod in a file lands in a stack, at what price, or why it does not land."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path

import click

from cli.lint import sources, stack_view_of
from cli.stacks import stack_options
from gpuplatform.analysis.placement.landing import Landing, Reached, landing
from gpuplatform.analysis.placement.pod import PodAsk
from gpuplatform.analysis.placement.view import NamespaceView, StackView
from gpuplatform.faults import Fault
from policies.lint.judging import objects_of
from policies.pod import ask, asks_for_cards
from policies.rules.pods.pools import pools_outside
from policies.rules.pods.stack import nearest
from policies.subject import Subject
from policies.workloads import PodTemplate, pod_templates

_PIPE = "-"


@dataclass(frozen=True, slots=True)
class Landed:
    """One pod of the file and where it lands."""

    subject: Subject
    pod: PodTemplate
    ask: PodAsk | None
    """None if a resource quantity is invalid."""
    landing: Landing | None
    namespace: NamespaceView | None
    """The pod's namespace; None if it is not a namespace of the stack's teams."""
    pools_outside: tuple[str, ...]
    """Pools that would accept the pod but that its namespace may not use."""

    @property
    def lands_where_it_says(self) -> bool:
        """Whether it reaches only pools of its namespace, and exactly one pool if it asks for cards."""
        if self.landing is None or not self.landing.reached or self.pools_outside:
            return False
        return len(self.landing.pools) == 1 or not asks_for_cards(self.pod)


@click.command()
@click.argument("file", metavar="FILE")
@stack_options
@click.option("--format", "output", type=click.Choice(["text", "json"]), default="text", show_default=True)
def pods(file: str, stack: str | None, settings: Path | None, output: str) -> None:
    """Show for each pod in FILE (- for standard input) the NodePools that accept it, the first choice, and the price.

    Exit code: 0 every pod lands on a pool that it may use, 1 some pod does not, 2 wrong usage.
    """
    if file != _PIPE and not Path(file).is_file():
        raise click.UsageError(f"no such file: {file}")
    view = stack_view_of(stack, settings)
    source = next(sources((file,)))
    subjects, unreadable = objects_of(source)
    landed = [_landed(subject, pod, view) for subject in subjects for pod in pod_templates(subject)]
    click.echo(json.dumps(_as_json(landed, unreadable), indent=2) if output == "json" else _as_text(landed, unreadable))
    sys.exit(1 if unreadable or not all(pod.lands_where_it_says for pod in landed) else 0)


def _landed(subject: Subject, pod: PodTemplate, view: StackView) -> Landed:
    asked = ask(pod)
    namespace = view.namespace(subject.namespace) if subject.namespace is not None else None
    outside = pools_outside(asked, namespace, view) if asked is not None and namespace is not None else ()
    return Landed(subject, pod, asked, None if asked is None else landing(asked, view), namespace, outside)


def _as_text(landed: list[Landed], unreadable: list[Fault]) -> str:
    lines = [str(fault) for fault in unreadable]
    for pod in landed:
        lines += _lines(pod)
    if not landed and not unreadable:
        lines.append("the file has no pod and no object that creates one")
    return "\n".join(lines)


def _lines(landed: Landed) -> list[str]:
    title = f"{landed.subject}, {landed.pod.spec_path}:"
    if landed.ask is None or landed.landing is None:
        return [f"{title} cannot be judged: a resource quantity is invalid"]
    place = landed.landing
    wins = place.wins
    if wins is None:
        return [
            f"{title} lands on no pool; the nearest NodePools, and why they do not accept it:",
            *(f"  {line}" for line in kept_away(landed.ask, place)),
        ]
    if landed.namespace is not None and landed.pools_outside:
        allowed = ", ".join(landed.namespace.pools) or "no GPU or Neuron pool"
        title += f" may land on {', '.join(landed.pools_outside)}, but {landed.namespace.name} may use only {allowed}:"
    elif not landed.lands_where_it_says:
        title += f" lands on {len(place.pools)} pools ({', '.join(place.pools)}) instead of one:"
    else:
        title += f" lands on the pool {place.pools[0]}" if len(place.pools) == 1 else " lands on"
    return [
        title,
        *(f"  {'first' if reached is wins else 'then '} {_reached(reached)}" for reached in _in_order(place)),
    ]


def _in_order(place: Landing) -> list[Reached]:
    """The NodePools that the pod reaches: the first choice, then the others by weight."""
    rest = [reached for reached in place.reached if reached is not place.wins]
    rest.sort(key=lambda reached: -(reached.node_pool.weight or 0))
    return ([place.wins] if place.wins else []) + rest


def _reached(reached: Reached) -> str:
    pool = reached.node_pool
    how = f"weight {pool.weight}" if pool.weight is not None else "no weight"
    if pool.replicas is not None:
        how = f"static, {pool.replicas} {'node is' if pool.replicas == 1 else 'nodes are'} up"
    return f"{pool.name} ({how}): {', '.join(reached.instance_types)}, {_price(reached.usd_per_hour)} a node"


def _price(usd_range: tuple[float, float] | None) -> str:
    if usd_range is None:
        return "price unknown"
    low, high = usd_range
    return f"${low:.3f} an hour" if low == high else f"${low:.3f} to ${high:.3f} an hour"


def kept_away(asked: PodAsk, place: Landing) -> list[str]:
    """The nearest NodePools, and below each the reasons why it does not accept the pod."""
    alike: dict[tuple[str, ...], list[str]] = {}
    for pool, kept in nearest(asked, place):
        alike.setdefault(tuple(obstacle.says for obstacle in kept), []).append(pool.name)
    return [line for says, names in alike.items() for line in (", ".join(names), *(f"  {say}" for say in says))]


def _as_json(landed: list[Landed], unreadable: list[Fault]) -> dict[str, object]:
    return {
        "unreadable": [fault.as_json() for fault in unreadable],
        "pods": [
            {
                "kind": pod.subject.kind,
                "namespace": pod.subject.namespace or "",
                "name": pod.subject.name,
                "path": pod.pod.spec_path,
                "lands_where_it_says": pod.lands_where_it_says,
                "pools": list(pod.landing.pools) if pod.landing else [],
                "pools_outside": list(pod.pools_outside),
                "node_pools": [_reached_json(reached) for reached in _in_order(pod.landing)] if pod.landing else [],
                "kept_from": _kept_json(pod.landing) if pod.landing else [],
            }
            for pod in landed
        ],
    }


def _reached_json(reached: Reached) -> dict[str, object]:
    return {
        "name": reached.node_pool.name,
        "pool": reached.node_pool.pool,
        "weight": reached.node_pool.weight,
        "static": reached.node_pool.replicas is not None,
        "instance_types": list(reached.instance_types),
        "usd_per_hour": None if reached.usd_per_hour is None else [round(usd, 5) for usd in reached.usd_per_hour],
    }


def _kept_json(place: Landing) -> list[dict[str, object]]:
    return [
        {"name": pool.name, "pool": pool.pool, "by": [obstacle.says for obstacle in kept]}
        for pool, kept in place.kept_from
    ]
