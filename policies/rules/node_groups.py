"""Managed node groups with NVIDIA cards keep the same standard as NodePools (L1-L4, T1)."""

from __future__ import annotations

from collections.abc import Iterable

from gpuplatform.faults import Fault
from gpuplatform.standard import keys, labels, taints
from policies.cel import CLOUD
from policies.kinds import NODE_GROUP
from policies.rule import Rule, Severity
from policies.subject import UNKNOWN, Plain, Subject, Unknown, at, items_at, mapping_at

_NVIDIA_IMAGE = "NVIDIA"
"""In the name of every EKS image type with NVIDIA's driver (AL2023_x86_64_NVIDIA and the like)."""
_ARM64_IMAGE = "_ARM_64_"
"""In the name of those for arm64 (AL2023_ARM_64_NVIDIA)."""


def _keeps_the_standard(subject: Subject) -> Iterable[Fault]:
    written = mapping_at(subject, "labels")
    if isinstance(written, Unknown) or UNKNOWN in written.values():
        return []
    known = {key: str(value) for key, value in written.items()}
    image = at(subject.body, "amiType")
    if not any(key.startswith(labels.PREFIX) for key in known) and not (
        isinstance(image, str) and _NVIDIA_IMAGE in image
    ):
        return []
    return [*labels.problems(known, "labels"), *_taints(subject, known.get(labels.ROLE.key), image)]


def _taints(subject: Subject, role: str | None, image: Plain) -> list[Fault]:
    lines = items_at(subject, "taints")
    if isinstance(lines, Unknown):
        return []
    given = [at(line, "key") for line in lines]
    if UNKNOWN in given:
        return []
    wanted = [keys.GPU_TAINT, taints.DEDICATED_KEY, labels.PURPOSE.key]
    if role == labels.Role.CHIEF.value:
        wanted.append(labels.ROLE.key)
    if isinstance(image, str) and _ARM64_IMAGE in image:
        wanted.append(keys.ARCHITECTURE)
    return [
        Fault(f"taints[{key}]", "no such taint", "the standard's taints on every GPU node", f"add the taint {key}")
        for key in wanted
        if key not in given
    ]


NODE_GROUP_STANDARD = Rule(
    name="node-group-standard",
    description="A managed node group with NVIDIA cards carries the label standard and its taints, as a NodePool does.",
    severity=Severity.HIGH,
    remediation="Write the standard's labels and taints on the node group, or make it a pool of the settings.",
    kinds=(NODE_GROUP,),
    judge=_keeps_the_standard,
    admission=CLOUD,
)

RULES = (NODE_GROUP_STANDARD,)
