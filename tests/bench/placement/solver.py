"""The cheapest set of whole nodes that carries a day, by a mixed-integer program (HiGHS)."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import highspy

from tests.bench.placement.offers import Offer
from tests.bench.placement.workload import Row

_SECONDS = 120.0
_MOST_NODES = 1000


class InfeasibleError(Exception):
    """No set of nodes carries the day's workloads."""


@dataclass(frozen=True, slots=True)
class Solution:
    """The solver's best solution, and the lower bound that it proved."""

    usd_per_hour: float
    """The price of the solution's nodes."""
    bound_usd_per_hour: float
    """The proven lower bound: no solution under the same rules is cheaper."""
    nodes: tuple[tuple[Offer, int], ...]
    pods: tuple[tuple[Row, Offer, int], ...]


def least(rows: Sequence[Row], offers: Iterable[Offer]) -> Solution:
    """The lower bound: nodes are whole, one node has one layout, and the pods of a layout are divisible.

    Cards, CPU and memory are summed over all nodes of a layout, as if pods could be divided between nodes, so that no
    real packing can need less. Raises InfeasibleError.
    """
    return _solve(rows, offers, lambda row, offer: offer.carries(row) > 0, packed=True)


def chosen(rows: Sequence[Row], offers: Iterable[Offer], may: Callable[[Row, Offer], bool]) -> Solution:
    """The offer for each pod: a pod counts as the part of a node that it takes among pods like itself.

    The nodes of static pools are paid for in any case. Raises InfeasibleError.
    """
    return _solve(rows, offers, lambda row, offer: may(row, offer) and offer.carries(row) > 0, packed=False)


def _solve(
    rows: Sequence[Row], offers: Iterable[Offer], suits: Callable[[Row, Offer], bool], *, packed: bool
) -> Solution:
    model = highspy.Highs()
    model.silent()
    model.setOptionValue("time_limit", _SECONDS)
    model.setOptionValue("mip_rel_gap", 0.0)
    nodes: list[tuple[Offer, highspy.highs.highs_var]] = []
    pods: list[tuple[Row, Offer, highspy.highs.highs_var]] = []
    for offer in offers:
        fitting = [row for row in rows if suits(row, offer)]
        replicas = offer.planned.replicas if offer.planned else None
        if not fitting and replicas is None:
            continue
        low, high = (0, _MOST_NODES) if replicas is None else (replicas, replicas)
        count = model.addIntegral(lb=low, ub=high, obj=offer.usd_per_hour)
        nodes.append((offer, count))
        here = [(row, model.addIntegral(lb=0, ub=row.pods)) for row in fitting]
        pods += [(row, offer, amount) for row, amount in here]
        if not here:
            continue
        if packed:
            model.addConstr(sum(row.cards * amount for row, amount in here) <= offer.units * count)
            model.addConstr(
                sum(row.cpu_millis * amount for row, amount in here) <= offer.node.allocatable_cpu_millis * count
            )
            model.addConstr(
                sum(row.memory_mib * amount for row, amount in here) <= offer.node.allocatable_memory_mib * count
            )
            model.addConstr(sum(amount for _, amount in here) <= offer.node.max_pods * count)
        else:
            model.addConstr(sum(1 / offer.carries(row) * amount for row, amount in here) <= count)
    for row in rows:
        places = [amount for of, _, amount in pods if of is row]
        if not places:
            raise InfeasibleError(f"no instance type carries {row.name}")
        model.addConstr(model.qsum(places) <= row.pods)
        model.addConstr(model.qsum(places) >= row.pods)
    _ceilings(model, nodes)
    model.minimize()
    if model.getModelStatus() != highspy.HighsModelStatus.kOptimal:
        raise InfeasibleError(f"the solver ended with {model.modelStatusToString(model.getModelStatus())}")
    info = model.getInfo()
    value = model.variableValue
    return Solution(
        info.objective_function_value,
        info.mip_dual_bound,
        tuple((offer, round(value(amount))) for offer, amount in nodes if round(value(amount))),
        tuple((row, offer, round(value(amount))) for row, offer, amount in pods if round(value(amount))),
    )


def _ceilings(model: highspy.Highs, nodes: Sequence[tuple[Offer, highspy.highs.highs_var]]) -> None:
    """Keep every NodePool at or below its ceiling in cards."""
    elastic = [(offer, count) for offer, count in nodes if offer.planned and offer.planned.replicas is None]
    by_name = itertools.groupby(elastic, lambda pair: pair[0].planned and pair[0].planned.name)
    for _, group in by_name:
        alike = list(group)
        planned = alike[0][0].planned
        if planned is not None:
            cards = model.qsum(offer.node.cards * count for offer, count in alike)
            model.addConstr(cards <= planned.ceiling_cards)
