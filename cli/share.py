"""``gpuplatform share``: how to give a pod its part of a card, by the cost for one pod, including the host."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from cli.stacks import accepted_settings, stack_options
from cli.text_table import text_table
from gpuplatform.analysis.sharing import (
    Need,
    Option,
    SharingAdvice,
    advise,
    also_select,
    first_tried,
    of_catalog,
    of_stack,
    priced_candidates,
    room_in_words,
    way_of,
    what_there_is,
)
from gpuplatform.plan.node_pools import plan
from gpuplatform.plan.prices import Prices
from gpuplatform.settings.settings import Cost, Settings

DEFAULT_REGION = "us-east-1"
_YES_NO = click.Choice(["yes", "no"])
_ADD_A_POOL = "docs/guides/add-a-pool.md"


def _finite(_context: click.Context, option: click.Parameter, value: float) -> float:
    """A number of GiB: finite and more than zero."""
    if not (math.isfinite(value) and value > 0):
        raise click.BadParameter("must be a number above 0", param=option)
    return value


@click.command()
@click.option("--memory-gib", type=float, required=True, callback=_finite, help="Card memory that one pod needs.")
@click.option("--isolation", type=_YES_NO, required=True, help="Whether pods of other users must not disturb it.")
@click.option("--bursty", type=_YES_NO, required=True, help="Whether it is idle most of the time, like a notebook.")
@click.option("--cpu-millis", type=click.IntRange(min=1), default=2000, show_default=True, help="CPU of one pod.")
@click.option(
    "--host-memory-gib",
    type=float,
    default=8.0,
    show_default=True,
    callback=_finite,
    help="Host memory of one pod.",
)
@click.option("--cards", type=click.IntRange(min=1), default=1, show_default=True, help="Cards of one pod.")
@click.option("--interruptible", type=_YES_NO, default="no", show_default=True, help="Whether it may run on spot.")
@stack_options
@click.option("--format", "output", type=click.Choice(["text", "json"]), default="text", show_default=True)
def share(
    *,
    memory_gib: float,
    isolation: str,
    bursty: str,
    cpu_millis: int,
    host_memory_gib: float,
    cards: int,
    interruptible: str,
    stack: str | None,
    settings: Path | None,
    output: str,
) -> None:
    """Recommend how to share a card among pods like this one, and explain why.

    With a stack, only its pools are considered; without one, every priced instance type of the catalog in us-east-1.
    Exit code: 0 a recommendation was found, 1 no card can hold the pod, 2 wrong usage.
    """
    need = Need(
        memory_gib=memory_gib,
        isolation=isolation == "yes",
        bursty=bursty == "yes",
        cpu_millis=cpu_millis,
        host_memory_gib=host_memory_gib,
        cards=cards,
        interruptible=interruptible == "yes",
    )
    stack_settings = None if stack is None and settings is None else accepted_settings(stack, settings)
    prices = _prices(stack_settings)
    unsuitable_pools: Mapping[str, str] = {}
    if stack_settings is None:
        options = of_catalog(need, prices)
    else:
        options, unsuitable_pools = of_stack(need, stack_settings, prices)
    advice = advise(options, need)
    catalog_advice = advise(of_catalog(need, prices), need) if stack_settings else None
    catalog_option = catalog_advice.best if catalog_advice else None
    stack_option = f"--stack {stack}" if stack else f"--settings {settings}"
    answer = _Answer(need, prices, options, advice, unsuitable_pools, catalog_option, stack_option)
    if output == "json":
        click.echo(json.dumps(answer.as_json(), indent=2))
    else:
        for line in answer.lines(stack_settings):
            click.echo(line)
    sys.exit(0 if advice else 1)


def _prices(settings: Settings | None) -> Prices:
    if settings is not None:
        return Prices(settings.region, settings.cost)
    return Prices(DEFAULT_REGION, Cost(monthly_floor_limit_usd=0, monthly_budget_usd=0))


@dataclass(frozen=True, slots=True)
class _Answer:
    """A recommendation, or none, as text and as JSON."""

    need: Need
    prices: Prices
    options: Sequence[Option]
    advice: SharingAdvice | None
    unsuitable_pools: Mapping[str, str]
    """Pools of the stack that do not suit the pod, and why."""
    catalog_option: Option | None
    """With a stack: the best option of the catalog."""
    stack_option: str
    """The stack as the command line names it."""

    def lines(self, settings: Settings | None) -> list[str]:
        head = [_need_in_words(self.need), self._assumptions(), ""]
        if self.advice is None:
            return [*head, *(self._no_pool_lines(settings) if settings else self._no_type_lines())]
        best = self.advice.best
        pool = self._block_lines(best, best.pool.name) if best.pool else [_as_a_pool(best)]
        pool_reasons = [f"Pool {name}: {why}." for name, why in self.unsuitable_pools.items()]
        return [
            *head,
            *_option_table(self.advice.ranked),
            "",
            f"Choose: {_in_words(best)}.",
            *pool,
            *(f"  {reason}" for reason in self.advice.why),
            "Why not the others:",
            *(f"  {reason}" for reason in (*self.advice.why_not, *pool_reasons)),
            *self._cheaper_option_lines(best),
        ]

    def as_json(self) -> dict[str, object]:
        advice = self.advice
        faults = [] if advice else what_there_is(self.need, priced_candidates(self.prices))
        return {
            "region": self.prices.region,
            "spot_price_ratio": self.prices.cost.spot_price_ratio if self.need.interruptible else None,
            "choice": self._option(advice.best) if advice else None,
            "options": [self._option(option) for option in advice.ranked] if advice else [],
            "why": list(advice.why) if advice else [],
            "why_not": list(advice.why_not) if advice else [],
            "pools_left_out": dict(self.unsuitable_pools),
            "cheapest_of_the_catalog": self._option(self.catalog_option) if self.catalog_option else None,
            "faults": [] if self.catalog_option else [fault.as_json() for fault in faults],
        }

    def _assumptions(self) -> str:
        market = "on demand"
        if self.need.interruptible:
            market = f"spot where it is offered, priced at {self.prices.cost.spot_price_ratio:.2f} of on demand"
        return (
            f"Prices of {self.prices.region}, {market}; a slot is the node's price divided by the pods it carries."
            " Resources of DaemonSets are not counted."
        )

    def _block_lines(self, best: Option, pool: str) -> list[str]:
        """The command that prints the pool's block, and further labels to select."""
        lines = [f"In this stack: gpuplatform block {self.stack_option} --pool {pool}"]
        further_labels = also_select(best, self.need)
        if further_labels:
            lines.append(
                f"  and select {_label_list(further_labels)}, because other nodes of the pool do not suit this pod."
            )
        first = first_tried(best, self.options)
        distinguishing_labels = _distinguishing_labels(best, first, further_labels)
        if distinguishing_labels:
            lines.append(
                f"  The pool tries {first.card.name} on {first.market.value} first, at ${first.usd_per_slot:.3f} a"
                f" slot; to get the price above select {_label_list(distinguishing_labels)}, which excludes the pool's"
                " other NodePools."
            )
        return lines

    def _cheaper_option_lines(self, best: Option) -> list[str]:
        option = self.catalog_option
        if option is None or option.usd_per_slot >= best.usd_per_slot - 5e-4:
            return []
        return [f"Cheaper, but not in this stack: {_in_words(option)} ({_ADD_A_POOL})."]

    def _no_type_lines(self) -> list[str]:
        return [
            "No instance type of the catalog can hold this pod.",
            *(f"  {fault}" for fault in what_there_is(self.need, priced_candidates(self.prices))),
        ]

    def _no_pool_lines(self, settings: Settings) -> list[str]:
        units = [
            (way_of(node_pool.pool, node_pool.card).unit_memory_gb, node_pool)
            for node_pool in plan(settings.pools, settings.network.zones)
        ]
        lines = [
            "No pool of this stack can hold this pod.",
            *(f"  {name}: {why}." for name, why in self.unsuitable_pools.items()),
        ]
        if units:
            most, where = max(units, key=lambda unit: unit[0])
            way = way_of(where.pool, where.card)
            lines.append(f"The most card memory that a pod gets here: {most:g} GB ({way} in pool {where.pool.name}).")
        if self.catalog_option is None:
            return [*lines, *self._no_type_lines()]
        return [*lines, f"Change: add a pool with {_in_words(self.catalog_option)} ({_ADD_A_POOL})."]

    def _option(self, option: Option) -> dict[str, object]:
        return {
            "method": option.way.method.value,
            "profile": option.way.profile,
            "units_per_card": option.way.units_per_card,
            "sharing": option.way.setting,
            "unit_memory_gb": option.way.unit_memory_gb,
            "card": option.card.name,
            "instance_type": option.node.name,
            "market": option.market.value,
            "node_usd_per_hour": round(option.node_usd_per_hour, 6),
            "slots": option.slots.count,
            "slots_by_cards": option.slots.by_cards,
            "bound": option.slots.bound.value,
            "usd_per_slot": round(option.usd_per_slot, 6),
            "pool": option.pool.name if option.pool else None,
            "also_select": also_select(option, self.need),
        }


def _need_in_words(need: Need) -> str:
    cards = "" if need.cards == 1 else f" on each of {need.cards} cards"
    traits = (
        "isolated" if need.isolation else "isolation not needed",
        "bursty" if need.bursty else "steady",
        "interruptible" if need.interruptible else "not interruptible",
    )
    return (
        f"A pod with {need.memory_gib:g} GiB of card memory{cards}, {need.cpu_millis / 1000:g} CPUs and"
        f" {need.host_memory_gib:g} GiB of host memory; {', '.join(traits)}."
    )


def _in_words(option: Option) -> str:
    return (
        f"{option.way} on {option.node.name} ({option.card.name}, {option.market.value}),"
        f" ${option.usd_per_slot:.3f} a slot"
    )


def _as_a_pool(option: Option) -> str:
    return (
        f"As a pool: card {option.card.name}, instance_types [{option.node.name}], market {option.market.value},"
        f" sharing {option.way.setting} ({_ADD_A_POOL})."
    )


def _distinguishing_labels(best: Option, first: Option, selection: Mapping[str, str]) -> dict[str, str]:
    """Labels in which a pool's best NodePool differs from the first that it tries, except those selected already."""
    if best.planned is None or first.planned is None or first.planned == best.planned:
        return {}
    best_labels, first_labels = best.planned.node_labels, first.planned.node_labels
    return {key: value for key, value in best_labels.items() if first_labels.get(key) != value and key not in selection}


def _label_list(node_labels: Mapping[str, str]) -> str:
    return ", ".join(f"{key}: {value}" for key, value in node_labels.items())


def _option_table(options: Sequence[Option]) -> list[str]:
    has_pools = any(option.pool for option in options)
    rows = [("USD/H A SLOT", "WAY", "INSTANCE TYPE", "CARD", *(("POOL",) if has_pools else ()), "SLOTS", "BOUNDED BY")]
    for option in options:
        pool = (option.pool.name,) if option.pool else ()
        cost = f"{option.usd_per_slot:.3f}"
        slots = str(option.slots.count)
        bound = room_in_words(option)
        rows.append((cost, str(option.way), option.node.name, option.card.name, *pool, slots, bound))
    return text_table(rows)
