"""A NodePool has one architecture, and arm64 nodes have a taint, because an image for amd64 only cannot start there."""

from __future__ import annotations

from collections.abc import Iterable

from gpuplatform.analysis import label_accuracy
from gpuplatform.faults import Fault
from gpuplatform.standard import keys
from gpuplatform.standard.taints import ARM64, ARM64_TAINT
from policies.cel import Cel, literal
from policies.nodepool import BLOCKING_EFFECTS, TAINTS_PATH, NodePool, nodepool
from policies.rule import Rule, Severity
from policies.subject import NODE_POOL, UNKNOWN, Subject, Unknown

_TAINT = f"{ARM64_TAINT.key}={ARM64_TAINT.value}:{ARM64_TAINT.effect}"


def _several_architectures(subject: Subject) -> Iterable[Fault]:
    architectures = _architectures(nodepool(subject))
    if len(architectures) < 2:
        return []
    allowed = (
        "one architecture: most images are built for one, and a pod that selects no architecture may land on either"
    )
    change = f"name the types of one, or {keys.ARCHITECTURE} with one value, and make another NodePool for the rest"
    return [Fault(label_accuracy.REQUIREMENTS_PATH, " and ".join(sorted(architectures)), allowed, change)]


def _missing_taint(subject: Subject) -> Iterable[Fault]:
    pool = nodepool(subject)
    if _architectures(pool) != {ARM64} or isinstance(pool.taints, Unknown):
        return []
    for taint in pool.taints:
        key, value, effect = taint.key, taint.value, taint.effect
        if (
            key in (keys.ARCHITECTURE, UNKNOWN)
            and value in (ARM64, UNKNOWN)
            and (effect is UNKNOWN or effect in BLOCKING_EFFECTS)
        ):
            return []
    allowed = f"the taint {_TAINT}, so that only pods whose image is built for it land there"
    return [Fault(f"{TAINTS_PATH}[{keys.ARCHITECTURE}]", "no such taint", allowed, f"add the taint {_TAINT}")]


def _architectures(pool: NodePool) -> set[str]:
    """The architectures of the named types; else the named ones; else those of every type that it can launch."""
    requirements, types = pool.requirements, pool.types
    if isinstance(requirements, Unknown) or isinstance(types, Unknown):
        return set()
    of_types = {instance_type.architecture for instance_type in types}
    if of_types and any(
        requirement.key == keys.INSTANCE_TYPE and requirement.operator == "In" for requirement in requirements
    ):
        return of_types
    lines = [
        requirement
        for requirement in requirements
        if requirement.key == keys.ARCHITECTURE and requirement.operator == "In"
    ]
    if not lines:
        return of_types
    return {value for value in lines[0].values if all(value in line.values for line in lines)}


NODEPOOL_ONE_ARCHITECTURE = Rule(
    name="nodepool-one-architecture",
    description="A NodePool launches nodes of one architecture.",
    severity=Severity.HIGH,
    remediation="Make a NodePool for each architecture, each with a ceiling of its own.",
    kinds=(NODE_POOL,),
    judge=_several_architectures,
    admission=Cel(
        "variables.architectures.all(a, a == variables.architectures[0])",
        gap="hardware that is named neither by instance type nor by architecture",
    ),
)

GRAVITON_TAINTED = Rule(
    name="graviton-tainted",
    description="A NodePool of arm64 nodes has the taint of its architecture.",
    severity=Severity.HIGH,
    remediation=f"Add the taint {_TAINT}; pods whose image is built for arm64 tolerate it.",
    kinds=(NODE_POOL,),
    judge=_missing_taint,
    admission=Cel(
        f"variables.architectures.size() == 0 || variables.architectures.exists(a, a != {literal(ARM64)})"
        f" || variables.taints.exists(t, t.key == {literal(keys.ARCHITECTURE)}"
        f' && t.?value.orValue("") == {literal(ARM64)} && t.effect in {literal(BLOCKING_EFFECTS)})',
        gap="hardware that is named neither by instance type nor by architecture",
    ),
)

RULES = (NODEPOOL_ONE_ARCHITECTURE, GRAVITON_TAINTED)
