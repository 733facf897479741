"""``gpuplatform pods``: where each pod of a file lands in a stack, at what price, and what keeps it away (B7)."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path

import click

from cli.lint import sources, stack_view_of
from cli.stacks import stack_options
from gpuplatform.faults import Fault
from gpuplatform.proofs.capture.landing import Landing, Reached, landing
from gpuplatform.proofs.capture.pod import PodAsk
from gpuplatform.proofs.capture.view import NamespaceView, StackView
from policies.lint.judging import objects_of
from policies.pod import ask, asks_for_cards
from policies.rules.pod_pools import pools_outside
from policies.rules.pod_stack import nearest
from policies.subject import Subject
from policies.workloads import PodTemplate, pod_templates

_PIPE = "-"


@dataclass(frozen=True, slots=True)
class Landed:
    """One pod of the file and what becomes of it."""

    subject: Subject
    pod: PodTemplate
    ask: PodAsk | None
    """None where some amount is no quantity."""
    landing: Landing | None
    namespace: NamespaceView | None
    """The team's namespace that it is in; None where it is in none of the stack's."""
    pools_outside: tuple[str, ...]
    """Pools that would take it and that its namespace may not use."""

    @property
    def lands_where_it_says(self) -> bool:
        """Whether it reaches something of its namespace's, and one pool alone where it asks for cards."""
        if self.landing is None or not self.landing.reached or self.pools_outside:
            return False
        return len(self.landing.pools) == 1 or not asks_for_cards(self.pod)


@click.command()
@click.argument("file", metavar="FILE")
@stack_options
@click.option("--format", "output", type=click.Choice(["text", "json"]), default="text", show_default=True)
def pods(file: str, stack: str | None, settings: Path | None, output: str) -> None:
    """Say for each pod in FILE (- for standard input) which NodePools take it, which wins, and at what price.

    Exit code: 0 every pod lands where it says, 1 some pod does not, 2 the command was misused.
    """
    if file != _PIPE and not Path(file).is_file():
        raise click.UsageError(f"no such file: {file}")
    view = stack_view_of(stack, settings)
    source = next(sources((file,)))
    subjects, unreadable = objects_of(source)
    landed = [_landed(subject, pod, view) for subject in subjects for pod in pod_templates(subject)]
    click.echo(json.dumps(_as_json(landed, unreadable), indent=2) if output == "json" else _as_text(landed, unreadable))
    sys.exit(1 if unreadable or not all(each.lands_where_it_says for each in landed) else 0)


def _landed(subject: Subject, pod: PodTemplate, view: StackView) -> Landed:
    asked = ask(pod)
    namespace = view.namespace(subject.namespace) if subject.namespace is not None else None
    outside = pools_outside(asked, namespace, view) if asked is not None and namespace is not None else ()
    return Landed(subject, pod, asked, None if asked is None else landing(asked, view), namespace, outside)


def _as_text(landed: list[Landed], unreadable: list[Fault]) -> str:
    lines = [str(each) for each in unreadable]
    for each in landed:
        lines += _lines(each)
    if not landed and not unreadable:
        lines.append("no pod in the file, and no object that makes one")
    return "\n".join(lines)


def _lines(each: Landed) -> list[str]:
    title = f"{each.subject}, {each.pod.spec_path}:"
    if each.ask is None or each.landing is None:
        return [f"{title} cannot be judged: some amount is no quantity"]
    found = each.landing
    wins = found.wins
    if wins is None:
        return [
            f"{title} lands on no pool; the nearest, and what keeps it away:",
            *(f"  {line}" for line in kept_away(each.ask, found)),
        ]
    if each.namespace is not None and each.pools_outside:
        own = ", ".join(each.namespace.pools) or "no GPU or Neuron pool"
        title += f" may land on {', '.join(each.pools_outside)}, and {each.namespace.name} may use {own}:"
    elif not each.lands_where_it_says:
        title += f" lands on {len(found.pools)} pools ({', '.join(found.pools)}), and one is meant:"
    else:
        title += f" lands on the pool {found.pools[0]}" if len(found.pools) == 1 else " lands on"
    return [title, *(f"  {'first' if one is wins else 'then '} {_reached(one)}" for one in _in_order(found))]


def _in_order(found: Landing) -> list[Reached]:
    """The NodePools reached, the one that wins first, then by weight."""
    rest = [each for each in found.reached if each is not found.wins]
    rest.sort(key=lambda each: -(each.node_pool.weight or 0))
    return ([found.wins] if found.wins else []) + rest


def _reached(one: Reached) -> str:
    pool = one.node_pool
    how = f"weight {pool.weight}" if pool.weight is not None else "no weight"
    if pool.replicas is not None:
        how = f"static, {pool.replicas} of its nodes are there"
    return f"{pool.name} ({how}): {', '.join(one.instance_types)}, {_price(one.usd_per_hour)} a node"


def _price(found: tuple[float, float] | None) -> str:
    if found is None:
        return "price unknown"
    low, high = found
    return f"${low:.3f} an hour" if low == high else f"${low:.3f} to ${high:.3f} an hour"


def kept_away(asked: PodAsk, found: Landing) -> list[str]:
    """The NodePools that come nearest, and below each what keeps the pod from it."""
    alike: dict[tuple[str, ...], list[str]] = {}
    for pool, kept in nearest(asked, found):
        alike.setdefault(tuple(each.says for each in kept), []).append(pool.name)
    return [line for says, names in alike.items() for line in (", ".join(names), *(f"  {each}" for each in says))]


def _as_json(landed: list[Landed], unreadable: list[Fault]) -> dict[str, object]:
    return {
        "unreadable": [each.as_json() for each in unreadable],
        "pods": [
            {
                "kind": each.subject.kind,
                "namespace": each.subject.namespace or "",
                "name": each.subject.name,
                "path": each.pod.spec_path,
                "lands_where_it_says": each.lands_where_it_says,
                "pools": list(each.landing.pools) if each.landing else [],
                "pools_outside": list(each.pools_outside),
                "node_pools": [_reached_json(one) for one in _in_order(each.landing)] if each.landing else [],
                "kept_from": _kept_json(each.landing) if each.landing else [],
            }
            for each in landed
        ],
    }


def _reached_json(one: Reached) -> dict[str, object]:
    return {
        "name": one.node_pool.name,
        "pool": one.node_pool.pool,
        "weight": one.node_pool.weight,
        "static": one.node_pool.replicas is not None,
        "instance_types": list(one.instance_types),
        "usd_per_hour": None if one.usd_per_hour is None else [round(each, 5) for each in one.usd_per_hour],
    }


def _kept_json(found: Landing) -> list[dict[str, object]]:
    return [
        {"name": pool.name, "pool": pool.pool, "by": [each.says for each in kept]} for pool, kept in found.kept_from
    ]
