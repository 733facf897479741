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
    """Nothing carries the day."""


@dataclass(frozen=True, slots=True)
class Solution:
    """What the solver found, and what it proved."""

    usd_per_hour: float
    """Of the nodes found."""
    bound_usd_per_hour: float
    """Nothing cheaper exists under the same rules."""
    nodes: tuple[tuple[Offer, int], ...]
    pods: tuple[tuple[Row, Offer, int], ...]


def least(rows: Sequence[Row], offers: Iterable[Offer]) -> Solution:
    """The lower bound: nodes are whole, one node has one layout, and the pods of a layout are packed like sand.

    Packed like sand: cards, CPU and memory are counted over all nodes of a layout together, so that no packing of real
    pods can need less. Raises InfeasibleError.
    """
    return _solve(rows, offers, lambda row, offer: offer.carries(row) > 0, packed=True)


def chosen(rows: Sequence[Row], offers: Iterable[Offer], may: Callable[[Row, Offer], bool]) -> Solution:
    """Which offer each pod is to mean: a pod takes the part of a node that it takes where all are like itself.

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
        pods += [(row, offer, each) for row, each in here]
        if not here:
            continue
        if packed:
            model.addConstr(sum(row.cards * each for row, each in here) <= offer.units * count)
            model.addConstr(
                sum(row.cpu_millis * each for row, each in here) <= offer.node.allocatable_cpu_millis * count
            )
            model.addConstr(
                sum(row.memory_mib * each for row, each in here) <= offer.node.allocatable_memory_mib * count
            )
            model.addConstr(sum(each for _, each in here) <= offer.node.max_pods * count)
        else:
            model.addConstr(sum(1 / offer.carries(row) * each for row, each in here) <= count)
    for row in rows:
        places = [each for of, _, each in pods if of is row]
        if not places:
            raise InfeasibleError(f"nothing carries {row.name}")
        model.addConstr(model.qsum(places) <= row.pods)
        model.addConstr(model.qsum(places) >= row.pods)
    _ceilings(model, nodes)
    model.minimize()
    if model.getModelStatus() != highspy.HighsModelStatus.kOptimal:
        raise InfeasibleError(f"the solver ended with {model.modelStatusToString(model.getModelStatus())}")
    found = model.getInfo()
    value = model.variableValue
    return Solution(
        found.objective_function_value,
        found.mip_dual_bound,
        tuple((offer, round(value(each))) for offer, each in nodes if round(value(each))),
        tuple((row, offer, round(value(each))) for row, offer, each in pods if round(value(each))),
    )


def _ceilings(model: highspy.Highs, nodes: Sequence[tuple[Offer, highspy.highs.highs_var]]) -> None:
    """No NodePool above its ceiling in cards."""
    elastic = [(offer, each) for offer, each in nodes if offer.planned and offer.planned.replicas is None]
    by_name = itertools.groupby(elastic, lambda each: each[0].planned and each[0].planned.name)
    for _, group in by_name:
        alike = list(group)
        planned = alike[0][0].planned
        if planned is not None:
            cards = model.qsum(offer.node.cards * each for offer, each in alike)
            model.addConstr(cards <= planned.ceiling_cards)
