"""The order in which NodePools are tried: a ladder whose every rung can be left for the next (N5, N7)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gpuplatform.faults import Fault
from gpuplatform.standard import keys, labels
from gpuplatform.standard.markets import Market
from policies.cel import NotInCluster
from policies.kinds import NODE_POOL
from policies.nodepool import NodePool, nodepool
from policies.rule import Rule, Severity, StackRule
from policies.subject import UNKNOWN, Plain, Subject, Unknown, at, quoted

_REQUIREMENTS = "spec.template.spec.requirements"
_LEAST = {keys.INSTANCE_TYPE: ("instance types", 2), keys.ZONE: ("zones", 2)}
"""What spot is taken from: one type in one zone is one reclaimed capacity pool (AWS, best practices for EC2 Spot)."""
_CHOSEN_BY = (labels.PURPOSE, labels.ROLE, labels.MIG, labels.MIG_PROFILE)


def _diverse(subject: Subject) -> Iterable[Fault]:
    lines = nodepool(subject).requirements
    if isinstance(lines, Unknown):
        return []
    given = {each.key: tuple(dict.fromkeys(each.values)) for each in lines if each.operator == "In"}
    if Market.SPOT.value not in given.get(keys.CAPACITY_TYPE, ()):
        return []
    return [
        Fault(
            f"{_REQUIREMENTS}[{key}]",
            f"{len(given[key])} beside spot",
            f"{least} {what} or more: what is reclaimed in one place is then found in another",
            f"add {what}, or take {Market.SPOT.value} out",
        )
        for key, (what, least) in _LEAST.items()
        if key in given and len(given[key]) < least
    ]


def _descends(subjects: Sequence[Subject]) -> Iterable[tuple[Subject, Fault]]:
    seen: dict[tuple[object, ...], str] = {}
    faults: list[tuple[Subject, Fault]] = []
    for subject in subjects:
        pool, weight = nodepool(subject), at(subject.body, "spec", "weight")
        rung = _rung(pool, weight)
        if rung is None:
            continue
        if rung in seen:
            allowed = f"a weight of its own: {seen[rung]} is reached by the same pods, and Karpenter would pick either"
            faults.append((subject, Fault("spec.weight", quoted(weight), allowed, "give each its own weight")))
        seen.setdefault(rung, subject.name)
    return faults


def _rung(pool: NodePool, weight: Plain) -> tuple[object, ...] | None:
    """What pods choose the NodePool by, with its weight; None where it is no rung, or not known yet."""
    chosen = tuple(pool.label(each) for each in _CHOSEN_BY)
    if pool.is_static or not pool.is_gpu or UNKNOWN in (*chosen, weight) or isinstance(pool.taints, Unknown):
        return None
    return (*chosen, frozenset(map(str, pool.taints)), str(weight))


SPOT_DIVERSE = Rule(
    name="spot-diverse",
    description="A NodePool that takes spot has several types and zones to take it from.",
    severity=Severity.MEDIUM,
    remediation="Name at least two instance types and two zones, or leave spot to the NodePools that have them.",
    kinds=(NODE_POOL,),
    judge=_diverse,
    admission=NotInCluster("a narrow spot NodePool is slow to find capacity and harms no other; preview tells"),
)

WEIGHTS_DESCEND = StackRule(
    name="weights-descend",
    description="Of the NodePools that the same pods reach, each has a weight of its own, tried in order.",
    severity=Severity.MEDIUM,
    remediation="Give each NodePool of a pool its own weight, the preferred one the highest.",
    kinds=(NODE_POOL,),
    judge=_descends,
)

RULES = (SPOT_DIVERSE,)
STACK_RULES = (WEIGHTS_DESCEND,)
