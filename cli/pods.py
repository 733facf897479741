"""``gpuplatform pods``: where each pod in a file lands in a stack, at what price, or why it does not land."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path

import click

from cli.lint import sources, stack_view_of
from cli.stacks import accepted_settings, stack_options
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
class PodLanding:
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
    view = stack_view_of(accepted_settings(stack, settings))
    source = next(sources((file,)))
    subjects, unreadable = objects_of(source)
    pod_landings = [_pod_landing(subject, pod, view) for subject in subjects for pod in pod_templates(subject)]
    click.echo(
        json.dumps(_as_json(pod_landings, unreadable), indent=2)
        if output == "json"
        else _as_text(pod_landings, unreadable)
    )
    sys.exit(1 if unreadable or not all(pod.lands_where_it_says for pod in pod_landings) else 0)


def _pod_landing(subject: Subject, pod: PodTemplate, view: StackView) -> PodLanding:
    pod_ask = ask(pod)
    namespace = view.namespace(subject.namespace) if subject.namespace is not None else None
    other_pools = pools_outside(pod_ask, namespace, view) if pod_ask is not None and namespace is not None else ()
    return PodLanding(
        subject, pod, pod_ask, None if pod_ask is None else landing(pod_ask, view), namespace, other_pools
    )


def _as_text(pod_landings: list[PodLanding], unreadable: list[Fault]) -> str:
    lines = [str(fault) for fault in unreadable]
    for pod in pod_landings:
        lines += _lines(pod)
    if not pod_landings and not unreadable:
        lines.append("the file has no pod and no object that creates one")
    return "\n".join(lines)


def _lines(pod_landing: PodLanding) -> list[str]:
    title = f"{pod_landing.subject}, {pod_landing.pod.spec_path}:"
    if pod_landing.ask is None or pod_landing.landing is None:
        return [f"{title} cannot be judged: a resource quantity is invalid"]
    place = pod_landing.landing
    first_choice = place.wins
    if first_choice is None:
        return [
            f"{title} lands on no pool; the nearest NodePools, and why they do not accept it:",
            *(f"  {line}" for line in obstacle_lines(pod_landing.ask, place)),
        ]
    if pod_landing.namespace is not None and pod_landing.pools_outside:
        namespace, pools_outside_it = pod_landing.namespace, ", ".join(pod_landing.pools_outside)
        namespace_pools = ", ".join(namespace.pools) or "no GPU or Neuron pool"
        title += f" may land on {pools_outside_it}, but {namespace.name} may use only {namespace_pools}:"
    elif not pod_landing.lands_where_it_says:
        title += f" lands on {len(place.pools)} pools ({', '.join(place.pools)}) instead of one:"
    else:
        title += f" lands on the pool {place.pools[0]}" if len(place.pools) == 1 else " lands on"
    return [
        title,
        *(
            f"  {'first' if candidate is first_choice else 'then '} {_node_pool_line(candidate)}"
            for candidate in _in_order(place)
        ),
    ]


def _in_order(place: Landing) -> list[Reached]:
    """The NodePools that the pod reaches: the first choice, then the others by weight."""
    candidates = [candidate for candidate in place.reached if candidate is not place.wins]
    candidates.sort(key=lambda candidate: -(candidate.node_pool.weight or 0))
    return ([place.wins] if place.wins else []) + candidates


def _node_pool_line(candidate: Reached) -> str:
    pool = candidate.node_pool
    weight_text = f"weight {pool.weight}" if pool.weight is not None else "no weight"
    if pool.replicas is not None:
        weight_text = f"static, {pool.replicas} {'node is' if pool.replicas == 1 else 'nodes are'} up"
    return (
        f"{pool.name} ({weight_text}): {', '.join(candidate.instance_types)}, {_price(candidate.usd_per_hour)} a node"
    )


def _price(usd_range: tuple[float, float] | None) -> str:
    if usd_range is None:
        return "price unknown"
    low, high = usd_range
    return f"${low:.3f} an hour" if low == high else f"${low:.3f} to ${high:.3f} an hour"


def obstacle_lines(pod_ask: PodAsk, place: Landing) -> list[str]:
    """The nearest NodePools, and below each the reasons why it does not accept the pod."""
    pools_by_obstacles: dict[tuple[str, ...], list[str]] = {}
    for pool, obstacles in nearest(pod_ask, place):
        pools_by_obstacles.setdefault(tuple(obstacle.says for obstacle in obstacles), []).append(pool.name)
    return [
        line
        for sentences, names in pools_by_obstacles.items()
        for line in (", ".join(names), *(f"  {sentence}" for sentence in sentences))
    ]


def _as_json(pod_landings: list[PodLanding], unreadable: list[Fault]) -> dict[str, object]:
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
                "node_pools": [_node_pool_json(candidate) for candidate in _in_order(pod.landing)]
                if pod.landing
                else [],
                "kept_from": _obstacles_json(pod.landing) if pod.landing else [],
            }
            for pod in pod_landings
        ],
    }


def _node_pool_json(candidate: Reached) -> dict[str, object]:
    return {
        "name": candidate.node_pool.name,
        "pool": candidate.node_pool.pool,
        "weight": candidate.node_pool.weight,
        "static": candidate.node_pool.replicas is not None,
        "instance_types": list(candidate.instance_types),
        "usd_per_hour": None if candidate.usd_per_hour is None else [round(usd, 5) for usd in candidate.usd_per_hour],
    }


def _obstacles_json(place: Landing) -> list[dict[str, object]]:
    return [
        {"name": pool.name, "pool": pool.pool, "by": [obstacle.says for obstacle in obstacles]}
        for pool, obstacles in place.kept_from
    ]
