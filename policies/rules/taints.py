"""Taints: a GPU node accepts only pods that tolerate its purpose."""

from __future__ import annotations

from collections.abc import Iterable

from gpuplatform.faults import Fault
from gpuplatform.standard import keys, labels, taints
from policies.cel import Cel, every, literal
from policies.nodepool import BLOCKING_EFFECTS, TAINTS_PATH, NodePool, WrittenTaint, nodepool, taints_at
from policies.rule import Rule, Severity
from policies.subject import NODE_POOL, UNKNOWN, Subject, Unknown


def _missing_taints(subject: Subject) -> Iterable[Fault]:
    pool = nodepool(subject)
    if not pool.is_gpu or isinstance(pool.taints, Unknown):
        return []
    return [fault for key, values in _required_taints(pool) for fault in _taint_faults(pool.taints, key, values)]


def _required_taints(pool: NodePool) -> list[tuple[str, tuple[str, ...] | None]]:
    """Keys of the taints that the pool must carry, with their values; None if the value is not known."""
    purpose = pool.label(labels.PURPOSE)
    purposes = tuple(member.value for member in labels.Purpose)
    taint_values: list[tuple[str, tuple[str, ...] | None]] = [
        (keys.GPU_TAINT, taints.IN_CIRCULATION),
        (taints.DEDICATED_KEY, (taints.DEDICATED_VALUE,)),
        (labels.PURPOSE.key, None if isinstance(purpose, Unknown) else (purpose,) if purpose else purposes),
    ]
    if pool.is_chief:
        taint_values.append((labels.ROLE.key, (labels.Role.CHIEF.value,)))
    return taint_values


def _taint_faults(pool_taints: tuple[WrittenTaint, ...], key: str, values: tuple[str, ...] | None) -> list[Fault]:
    if any(taint.key is UNKNOWN for taint in pool_taints):
        return []
    candidates = [taint for taint in pool_taints if taint.key == key]
    path, example = f"{TAINTS_PATH}[{key}]", f"{key}={values[0] if values else '<the label>'}:{BLOCKING_EFFECTS[0]}"
    if not candidates:
        return [Fault(path, "no such taint", f"the standard's taint {example}", f"add the taint {example}")]
    faults = [
        Fault(path, str(taint), f"the value {' or '.join(values)}", f"write the taint as {example}")
        for taint in candidates
        if values is not None and taint.value is not UNKNOWN and taint.value not in values
    ]
    effects = [taint.effect for taint in candidates]
    if UNKNOWN not in effects and not any(effect in BLOCKING_EFFECTS for effect in effects):
        allowed = f"the effect {' or '.join(BLOCKING_EFFECTS)}: a preference keeps no pod away"
        faults.append(Fault(path, str(candidates[0]), allowed, f"write the taint as {example}"))
    return faults


def _duplicate_taints(subject: Subject) -> Iterable[Fault]:
    lists = [taints_at(subject, "spec", "template", "spec", name) for name in ("taints", "startupTaints")]
    taints_of_pool = [
        taint for taint_list in lists if not isinstance(taint_list, Unknown) for taint in taint_list if taint.is_known
    ]
    pairs = [(taint.key, taint.effect) for taint in taints_of_pool]
    return [
        Fault(
            f"{TAINTS_PATH}[{key}]",
            f"{pairs.count((key, effect))} taints {key} with the effect {effect}",
            "each key at most once with each effect, startupTaints included: otherwise Karpenter refuses the NodePool",
            f"keep one {key}:{effect}",
        )
        for key, effect in dict.fromkeys(pairs)
        if pairs.count((key, effect)) > 1
    ]


def _blocks(key: str, value: str) -> str:
    """A taint with the key keeps pods away, and every such taint fulfils ``value``, a condition on ``t``."""
    has_key = f"t.key == {literal(key)}"
    return every(
        f"variables.taints.exists(t, {has_key} && t.effect in {literal(BLOCKING_EFFECTS)})",
        f"variables.taints.all(t, !({has_key}) || {value})",
    )


_TAINT_VALUE = 't.?value.orValue("")'
_PRESENT_IN_CLUSTER = "!variables.is_gpu || " + every(
    _blocks(keys.GPU_TAINT, f"{_TAINT_VALUE} in {literal(taints.IN_CIRCULATION)}"),
    _blocks(taints.DEDICATED_KEY, f"{_TAINT_VALUE} == {literal(taints.DEDICATED_VALUE)}"),
    _blocks(
        labels.PURPOSE.key,
        f"{_TAINT_VALUE} == variables.labels[?{literal(labels.PURPOSE.key)}].orValue({_TAINT_VALUE})",
    ),
    f"!variables.chief || {_blocks(labels.ROLE.key, f'{_TAINT_VALUE} == {literal(labels.Role.CHIEF.value)}')}",
)


GPU_TAINTS_PRESENT = Rule(
    name="gpu-taints-present",
    description="Every GPU NodePool carries the standard's taints: GPU, dedicated, its purpose, and chief for chiefs.",
    severity=Severity.CRITICAL,
    remediation="Add the missing taint to spec.template.spec.taints; without it an unselective pod lands on the cards.",
    kinds=(NODE_POOL,),
    judge=_missing_taints,
    admission=Cel(_PRESENT_IN_CLUSTER),
)

TAINTS_DISTINCT = Rule(
    name="taints-distinct",
    description="A NodePool has each taint key at most once with each effect.",
    severity=Severity.MEDIUM,
    remediation="Remove the second taint of the same key and effect, also from startupTaints.",
    kinds=(NODE_POOL,),
    judge=_duplicate_taints,
    admission=Cel(
        "variables.every_taint.all("
        "t, variables.every_taint.filter(o, o.key == t.key && o.effect == t.effect).size() == 1)"
    ),
)

RULES = (GPU_TAINTS_PRESENT, TAINTS_DISTINCT)
