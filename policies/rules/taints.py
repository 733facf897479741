"""Taints: GPU nodes keep every pod away that does not name their purpose (T1, T2)."""

from __future__ import annotations

from collections.abc import Iterable

from gpuplatform.faults import Fault
from gpuplatform.standard import keys, labels, taints
from policies.cel import Cel, every, literal
from policies.kinds import NODE_POOL
from policies.nodepool import HOLDING, TAINTS_PATH, NodePool, SeenTaint, nodepool, seen_taints
from policies.rule import Rule, Severity
from policies.subject import UNKNOWN, Subject, Unknown


def _present(subject: Subject) -> Iterable[Fault]:
    pool = nodepool(subject)
    if not pool.is_gpu or isinstance(pool.taints, Unknown):
        return []
    return [fault for key, values in _wanted(pool) for fault in _carried(pool.taints, key, values)]


def _wanted(pool: NodePool) -> list[tuple[str, tuple[str, ...] | None]]:
    """Keys of the taints that the pool must carry, with their values; None where the value is not known."""
    purpose = pool.label(labels.PURPOSE)
    purposes = tuple(each.value for each in labels.Purpose)
    wanted: list[tuple[str, tuple[str, ...] | None]] = [
        (keys.GPU_TAINT, taints.IN_CIRCULATION),
        (taints.DEDICATED_KEY, (taints.DEDICATED_VALUE,)),
        (labels.PURPOSE.key, None if isinstance(purpose, Unknown) else (purpose,) if purpose else purposes),
    ]
    if pool.is_chief:
        wanted.append((labels.ROLE.key, (labels.Role.CHIEF.value,)))
    return wanted


def _carried(given: tuple[SeenTaint, ...], key: str, values: tuple[str, ...] | None) -> list[Fault]:
    if any(each.key is UNKNOWN for each in given):
        return []
    same_key = [each for each in given if each.key == key]
    path, example = f"{TAINTS_PATH}[{key}]", f"{key}={values[0] if values else '<the label>'}:{HOLDING[0]}"
    if not same_key:
        return [Fault(path, "no such taint", f"the standard's taint {example}", f"add the taint {example}")]
    faults = [
        Fault(path, str(each), f"the value {' or '.join(values)}", f"write the taint as {example}")
        for each in same_key
        if values is not None and each.value is not UNKNOWN and each.value not in values
    ]
    effects = [each.effect for each in same_key]
    if UNKNOWN not in effects and not any(effect in HOLDING for effect in effects):
        allowed = f"the effect {' or '.join(HOLDING)}: a preference keeps no pod away"
        faults.append(Fault(path, str(same_key[0]), allowed, f"write the taint as {example}"))
    return faults


def _distinct(subject: Subject) -> Iterable[Fault]:
    lists = [seen_taints(subject, "spec", "template", "spec", name) for name in ("taints", "startupTaints")]
    known = [each for given in lists if not isinstance(given, Unknown) for each in given if each.is_known]
    pairs = [(each.key, each.effect) for each in known]
    return [
        Fault(
            f"{TAINTS_PATH}[{key}]",
            f"{pairs.count((key, effect))} taints {key} with the effect {effect}",
            "each key once with each effect, startupTaints counted, or Karpenter does not accept the NodePool",
            f"keep one {key}:{effect}",
        )
        for key, effect in dict.fromkeys(pairs)
        if pairs.count((key, effect)) > 1
    ]


def _holds(key: str, value: str) -> str:
    """Such a taint is there and holds, and every one of the key has a right value; ``value`` says which of ``t``."""
    mine = f"t.key == {literal(key)}"
    return every(
        f"variables.taints.exists(t, {mine} && t.effect in {literal(HOLDING)})",
        f"variables.taints.all(t, !({mine}) || {value})",
    )


_GIVEN = 't.?value.orValue("")'
_PRESENT_IN_CLUSTER = "!variables.is_gpu || " + every(
    _holds(keys.GPU_TAINT, f"{_GIVEN} in {literal(taints.IN_CIRCULATION)}"),
    _holds(taints.DEDICATED_KEY, f"{_GIVEN} == {literal(taints.DEDICATED_VALUE)}"),
    _holds(labels.PURPOSE.key, f"{_GIVEN} == variables.labels[?{literal(labels.PURPOSE.key)}].orValue({_GIVEN})"),
    f"!variables.chief || {_holds(labels.ROLE.key, f'{_GIVEN} == {literal(labels.Role.CHIEF.value)}')}",
)


GPU_TAINTS_PRESENT = Rule(
    name="gpu-taints-present",
    description="Every GPU NodePool carries the standard's taints: GPU, dedicated, its purpose, and chief for chiefs.",
    severity=Severity.CRITICAL,
    remediation="Add the missing taint to spec.template.spec.taints; without it an unselective pod lands on the cards.",
    kinds=(NODE_POOL,),
    judge=_present,
    admission=Cel(_PRESENT_IN_CLUSTER),
)

TAINTS_DISTINCT = Rule(
    name="taints-distinct",
    description="A NodePool has each taint key at most once with each effect.",
    severity=Severity.MEDIUM,
    remediation="Remove the second taint of the same key and effect, also from startupTaints.",
    kinds=(NODE_POOL,),
    judge=_distinct,
    admission=Cel(
        "variables.every_taint.all("
        "t, variables.every_taint.filter(o, o.key == t.key && o.effect == t.effect).size() == 1)"
    ),
)

RULES = (GPU_TAINTS_PRESENT, TAINTS_DISTINCT)
