"""Choice among NodePools: those that accept the same pods differ in weight, and a spot NodePool has several types."""

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
_MINIMUM_CHOICE = {keys.INSTANCE_TYPE: ("instance types", 2), keys.ZONE: ("zones", 2)}
"""The least choice for spot: one type in one zone is one capacity pool, which EC2 reclaims as a whole
(AWS, best practices for EC2 Spot)."""
_SELECTION_LABELS = (labels.PURPOSE, labels.ROLE, labels.MIG, labels.MIG_PROFILE)


def _narrow_spot(subject: Subject) -> Iterable[Fault]:
    lines = nodepool(subject).requirements
    if isinstance(lines, Unknown):
        return []
    values_by_key = {line.key: tuple(dict.fromkeys(line.values)) for line in lines if line.operator == "In"}
    if Market.SPOT.value not in values_by_key.get(keys.CAPACITY_TYPE, ()):
        return []
    return [
        Fault(
            f"{_REQUIREMENTS}[{key}]",
            f"{len(values_by_key[key])} with spot",
            f"{minimum} {unit} or more: if EC2 reclaims one, another may still be available",
            f"add {unit}, or take {Market.SPOT.value} out",
        )
        for key, (unit, minimum) in _MINIMUM_CHOICE.items()
        if key in values_by_key and len(values_by_key[key]) < minimum
    ]


def _equal_weights(subjects: Sequence[Subject]) -> Iterable[tuple[Subject, Fault]]:
    first_names: dict[tuple[object, ...], str] = {}
    faults: list[tuple[Subject, Fault]] = []
    for subject in subjects:
        pool, weight = nodepool(subject), at(subject.body, "spec", "weight")
        order_key = _order_key(pool, weight)
        if order_key is None:
            continue
        if order_key in first_names:
            allowed = (
                f"a weight of its own: {first_names[order_key]} accepts the same pods, and Karpenter may choose either"
            )
            faults.append((subject, Fault("spec.weight", quoted(weight), allowed, "give each its own weight")))
        first_names.setdefault(order_key, subject.name)
    return faults


def _order_key(pool: NodePool, weight: Plain) -> tuple[object, ...] | None:
    """The labels and taints by which pods choose the NodePool, with its weight; None if they cannot be compared."""
    selection = tuple(pool.label(label) for label in _SELECTION_LABELS)
    if pool.is_static or not pool.is_gpu or UNKNOWN in (*selection, weight) or isinstance(pool.taints, Unknown):
        return None
    return (*selection, frozenset(map(str, pool.taints)), str(weight))


SPOT_DIVERSE = Rule(
    name="spot-diverse",
    description="A NodePool that takes spot has several types and zones to take it from.",
    severity=Severity.MEDIUM,
    remediation="Name at least two instance types and two zones, or leave spot to the NodePools that have them.",
    kinds=(NODE_POOL,),
    judge=_narrow_spot,
    admission=NotInCluster("a narrow spot NodePool is slow to find capacity and harms no other; preview reports it"),
)

WEIGHTS_DESCEND = StackRule(
    name="weights-descend",
    description="NodePools that accept the same pods have different weights, so that Karpenter tries them in order.",
    severity=Severity.MEDIUM,
    remediation="Give each NodePool of a pool its own weight, the preferred one the highest.",
    kinds=(NODE_POOL,),
    judge=_equal_weights,
)

RULES = (SPOT_DIVERSE,)
STACK_RULES = (WEIGHTS_DESCEND,)
