"""NodePools: a ceiling in the right unit, a valid disruption block, and a fixed number of chief nodes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from gpuplatform.catalog.instance_types import InstanceType
from gpuplatform.faults import Fault
from gpuplatform.standard import labels, resources
from gpuplatform.standard.markets import Reason
from gpuplatform.standard.quantities import whole
from policies.cel import Cel, NotInCluster, every, literal
from policies.nodepool import LIMITS_PATH, NodePool, nodepool
from policies.rule import Rule, Severity
from policies.subject import (
    NODE_POOL,
    UNKNOWN,
    Plain,
    Subject,
    Unknown,
    at,
    items_at,
    known_items,
    mapping_at,
    quoted,
    text,
    text_at,
)

_DISRUPTION = "spec.disruption"
_NODES = re.compile(r"^((100|[0-9]{1,2})%|[0-9]+)$")
_AGE = re.compile(r"^(([0-9]+(s|m|h))+|Never)$")
_DURATION = re.compile(r"^((([0-9]+(h|m))|([0-9]+h[0-9]+m))(0s)?)$")
_SCHEDULE = re.compile(r"^(@(annually|yearly|monthly|weekly|daily|midnight|hourly)|(\S+\s+){4}\S+)$")
# Patterns of Karpenter v1.14.1 (aws/karpenter-provider-aws pkg/apis/crds/karpenter.sh_nodepools.yaml).


def _ceiling(subject: Subject) -> Iterable[Fault]:
    pool, limits = nodepool(subject), mapping_at(subject, "spec", "limits")
    if isinstance(limits, Unknown):
        return []
    if pool.is_static:
        return _static_ceiling(pool, limits)
    if pool.is_gpu:
        return _gpu_ceiling(pool, limits)
    if any(value is UNKNOWN or value not in (None, "", 0, "0") for value in limits.values()):
        return []
    return [
        Fault(
            LIMITS_PATH, quoted(limits), "at least one resource above zero", "add a limit, such as cpu, to spec.limits"
        )
    ]


def _static_ceiling(pool: NodePool, limits: Mapping[str, Plain]) -> list[Fault]:
    faults = [
        Fault(
            f"{LIMITS_PATH}[{key}]",
            quoted(limits[key]),
            f"only {resources.NODES}, because the number of nodes is fixed",
            f"remove {key}; replicas is the ceiling",
        )
        for key in limits
        if key != resources.NODES
    ]
    nodes, replicas = _whole(limits.get(resources.NODES)), _whole(pool.replicas)
    if not isinstance(nodes, Unknown) and not isinstance(replicas, Unknown):
        minimum = (replicas or 0) + 1
        if nodes is None or nodes < minimum:
            faults.append(
                Fault(
                    f"{LIMITS_PATH}[{resources.NODES}]",
                    quoted(limits.get(resources.NODES)),
                    f"at least {minimum}, one above replicas, or drift has no room to replace a node",
                    f"set {LIMITS_PATH}.{resources.NODES} to {minimum}",
                )
            )
    return faults


def _gpu_ceiling(pool: NodePool, limits: Mapping[str, Plain]) -> list[Fault]:
    card_keys = [key for key in limits if resources.is_card_resource(key)]
    if not card_keys:
        resource_names = f"{resources.GPU}, or {resources.MIG_PREFIX}<profile> where cards are cut"
        return [Fault(LIMITS_PATH, quoted(limits), f"a ceiling in {resource_names}", "add the ceiling to spec.limits")]
    faults: list[Fault] = []
    for key in card_keys:
        amount, minimum = _whole(limits[key]), _units_of_largest(pool, key)
        if isinstance(amount, Unknown):
            continue
        if amount is None or amount < minimum:
            faults.append(
                Fault(
                    f"{LIMITS_PATH}[{key}]",
                    quoted(limits[key]),
                    f"a whole number of at least {minimum}, which one node of the largest type has",
                    f"raise the ceiling to {minimum} or more, or take the largest type out",
                )
            )
    return faults


def _units_of_largest(pool: NodePool, resource: str) -> int:
    """Units of a resource on the largest type that the pool can launch; 1 if that is not known."""
    types = pool.types
    if isinstance(types, Unknown):
        return 1
    return max((_units(instance_type, resource) for instance_type in types), default=1) or 1


def _units(instance: InstanceType, resource: str) -> int:
    if resource == resources.GPU or instance.card is None:
        return instance.cards
    profiles = instance.geometry.profiles if instance.geometry else ()
    slices = [profile.max_instances for profile in profiles if resources.mig_resource(profile.name) == resource]
    return instance.cards * sum(slices)


def _whole(value: Plain) -> int | Unknown | None:
    """A quantity that is a plain whole number; None for anything else."""
    amount = text(value)
    if isinstance(amount, Unknown):
        return UNKNOWN
    return whole(amount) if amount is not None else None


def _weight(subject: Subject) -> Iterable[Fault]:
    pool, value = nodepool(subject), at(subject.body, "spec", "weight")
    if value is None or value is UNKNOWN:
        return []
    if pool.replicas is not None and pool.replicas is not UNKNOWN:
        change = "remove spec.weight: a static NodePool is never chosen among others"
        return [Fault("spec.weight", quoted(value), "no weight beside replicas", change)]
    weight = _whole(value)
    if isinstance(weight, int) and 1 <= weight <= 100:
        return []
    return [Fault("spec.weight", quoted(value), "a whole number from 1 to 100", "write a weight in that range")]


def _disruption(subject: Subject) -> Iterable[Fault]:
    after = text_at(subject, "spec", "disruption", "consolidateAfter")
    faults: list[Fault] = []
    if after is not UNKNOWN and (after is None or not _AGE.match(after)):
        faults.append(
            Fault(
                f"{_DISRUPTION}.consolidateAfter",
                quoted(after),
                "a duration such as 10m, or Never; Karpenter 1.14 requires it in every disruption block",
                "write how long Karpenter waits after the last change of the node's pods",
            )
        )
    budgets = items_at(subject, "spec", "disruption", "budgets")
    if isinstance(budgets, Unknown):
        return faults
    return faults + [fault for number, budget in enumerate(budgets) for fault in _budget(number, budget)]


def _budget(number: int, budget: Plain) -> list[Fault]:
    path = f"{_DISRUPTION}.budgets[{number}]"
    if budget is UNKNOWN:
        return []
    nodes = at(budget, "nodes")
    schedule, duration = text(at(budget, "schedule")), text(at(budget, "duration"))
    faults: list[Fault] = []
    if nodes is not UNKNOWN and not (isinstance(nodes, str) and _NODES.match(nodes)):
        allowed = 'text: a number of nodes such as "1", or a percentage such as "10%"'
        faults.append(Fault(f"{path}.nodes", quoted(nodes), allowed, "write it as text, in quotes"))
    if isinstance(schedule, str) and not _SCHEDULE.match(schedule):
        allowed = "five cron fields in UTC, or a word such as @daily"
        faults.append(Fault(f"{path}.schedule", quoted(schedule), allowed, "correct the schedule"))
    if isinstance(duration, str) and not _DURATION.match(duration):
        allowed = "hours and minutes, such as 8h or 8h30m"
        faults.append(Fault(f"{path}.duration", quoted(duration), allowed, "correct the duration"))
    if UNKNOWN not in (schedule, duration) and (schedule is None) != (duration is None):
        given = "a schedule alone" if duration is None else "a duration alone"
        faults.append(Fault(path, given, "schedule and duration together", "add the one that is missing"))
    return faults + _reasons(path, at(budget, "reasons"))


def _reasons(path: str, value: Plain) -> list[Fault]:
    reasons = [text(reason) for reason in known_items(value)]
    return [
        Fault(f"{path}.reasons", quoted(reason), f"one of {', '.join(Reason)}", "correct the reason")
        for reason in reasons
        if reason is not UNKNOWN and reason not in set(Reason)
    ]


def _elastic_chiefs(subject: Subject) -> Iterable[Fault]:
    pool = nodepool(subject)
    if not pool.is_chief or pool.is_static:
        return []
    return [
        Fault(
            "spec.replicas",
            f"nothing beside {labels.ROLE.key}={labels.Role.CHIEF.value}",
            "a fixed number of nodes: chiefs are few, protected and never consolidated",
            f"set spec.replicas, or make it a {labels.Role.WORKER.value} pool; a static NodePool cannot become elastic",
        )
    ]


_CARD = f"(k == {literal(resources.GPU)} || k.startsWith({literal(resources.MIG_PREFIX)}))"
_PROFILE_OF_KEY = f"k.substring({len(resources.MIG_PREFIX)})"
_UNITS = (
    f"variables.cards_of_type[?t].orValue(1) * (k == {literal(resources.GPU)} ? 1 : "
    f'variables.cards[?variables.card_of_type[?t].orValue("")].orValue({{}})[?{_PROFILE_OF_KEY}].orValue(1))'
)
_WHOLE = 'string(variables.limits[k]).matches("^[0-9]+$")'
_AMOUNT = "int(string(variables.limits[k]))"
_STATIC_CEILING = every(
    f"variables.limits.all(k, k == {literal(resources.NODES)} && {_WHOLE} && {_AMOUNT} > object.spec.replicas)",
    "variables.limits.size() == 1",
)
_GPU_CEILING = every(
    f"variables.limits.exists(k, {_CARD})",
    f"variables.limits.all(k, !{_CARD} || {_WHOLE} && {_AMOUNT} >= 1 && variables.types.all(t, {_AMOUNT} >= {_UNITS}))",
)
_CEILING_IN_CLUSTER = (
    f"variables.static ? {_STATIC_CEILING} : variables.is_gpu ? {_GPU_CEILING}"
    ' : variables.limits.exists(k, !(string(variables.limits[k]) in ["", "0"]))'
)


NODEPOOL_CEILING = Rule(
    name="nodepool-ceiling",
    description="Every NodePool has a ceiling: in cards or slices where it is elastic, in nodes where it is static.",
    severity=Severity.CRITICAL,
    remediation="Elastic: limit cards or slices to one node of the largest type or more. Static: limit nodes.",
    kinds=(NODE_POOL,),
    judge=_ceiling,
    admission=Cel(_CEILING_IN_CLUSTER, gap="one node of the largest type, where types are not named one by one"),
)

NODEPOOL_WEIGHT = Rule(
    name="nodepool-weight",
    description="A weight orders elastic NodePools, from 1 to 100; a static NodePool has none.",
    severity=Severity.MEDIUM,
    remediation="Remove spec.weight from a static NodePool; elsewhere write a whole number from 1 to 100.",
    kinds=(NODE_POOL,),
    judge=_weight,
    admission=NotInCluster("Karpenter's own definition of a NodePool bounds the weight and refuses it beside replicas"),
)

NODEPOOL_DISRUPTION = Rule(
    name="nodepool-disruption",
    description="Every NodePool sets consolidateAfter, and its budgets are valid for Karpenter.",
    severity=Severity.HIGH,
    remediation="Write consolidateAfter, and budgets with nodes as text and schedule together with duration, in UTC.",
    kinds=(NODE_POOL,),
    judge=_disruption,
    admission=NotInCluster("Karpenter's own definition checks each field, and fills in a missing block"),
)

CHIEF_STATIC = Rule(
    name="chief-static",
    description="A chief pool is a fixed number of nodes.",
    severity=Severity.HIGH,
    remediation="Set spec.replicas on the chief's NodePools.",
    kinds=(NODE_POOL,),
    judge=_elastic_chiefs,
    admission=Cel("!variables.chief || variables.static"),
)

RULES = (NODEPOOL_CEILING, NODEPOOL_WEIGHT, NODEPOOL_DISRUPTION, CHIEF_STATIC)
