"""The order of NodePools: each has its own weight, and a spot NodePool has several types and zones."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gpuplatform.faults import Fault
from gpuplatform.standard import keys, labels
from gpuplatform.standard.markets import Market
from policies.cel import NotInCluster
from policies.nodepool import NodePool, nodepool
from policies.rule import Rule, Severity, StackRule
from policies.subject import NODE_POOL, UNKNOWN, Plain, Subject, Unknown, at, quoted

_REQUIREMENTS = "spec.template.spec.requirements"
_LEAST = {keys.INSTANCE_TYPE: ("instance types", 2), keys.ZONE: ("zones", 2)}
"""The least choice for spot: one type in one zone is one capacity pool, which EC2 reclaims as a whole
(AWS, best practices for EC2 Spot)."""
_CHOSEN_BY = (labels.PURPOSE, labels.ROLE, labels.MIG, labels.MIG_PROFILE)


def _diverse(subject: Subject) -> Iterable[Fault]:
    lines = nodepool(subject).requirements
    if isinstance(lines, Unknown):
        return []
    values_by_key = {line.key: tuple(dict.fromkeys(line.values)) for line in lines if line.operator == "In"}
    if Market.SPOT.value not in values_by_key.get(keys.CAPACITY_TYPE, ()):
        return []
    return [
        Fault(
            f"{_REQUIREMENTS}[{key}]",
            f"{len(values_by_key[key])} beside spot",
            f"{least} {what} or more: if EC2 reclaims one, another may still be available",
            f"add {what}, or take {Market.SPOT.value} out",
        )
        for key, (what, least) in _LEAST.items()
        if key in values_by_key and len(values_by_key[key]) < least
    ]


def _descends(subjects: Sequence[Subject]) -> Iterable[tuple[Subject, Fault]]:
    seen: dict[tuple[object, ...], str] = {}
    faults: list[tuple[Subject, Fault]] = []
    for subject in subjects:
        pool, weight = nodepool(subject), at(subject.body, "spec", "weight")
        order_key = _order_key(pool, weight)
        if order_key is None:
            continue
        if order_key in seen:
            allowed = f"a weight of its own: {seen[order_key]} accepts the same pods, and Karpenter may choose either"
            faults.append((subject, Fault("spec.weight", quoted(weight), allowed, "give each its own weight")))
        seen.setdefault(order_key, subject.name)
    return faults


def _order_key(pool: NodePool, weight: Plain) -> tuple[object, ...] | None:
    """The labels and taints by which pods choose the NodePool, with its weight; None if they cannot be compared."""
    chosen = tuple(pool.label(label) for label in _CHOSEN_BY)
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
    description="NodePools that accept the same pods have different weights, so that Karpenter tries them in order.",
    severity=Severity.MEDIUM,
    remediation="Give each NodePool of a pool its own weight, the preferred one the highest.",
    kinds=(NODE_POOL,),
    judge=_descends,
)

RULES = (SPOT_DIVERSE,)
STACK_RULES = (WEIGHTS_DESCEND,)
