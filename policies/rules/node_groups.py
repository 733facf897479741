"""Managed node groups: the label standard and taints of GPU nodes; metadata and volumes of launch templates."""

from __future__ import annotations

from collections.abc import Iterable

from gpuplatform.faults import Fault
from gpuplatform.standard import keys, labels, taints
from policies.cel import CLOUD
from policies.rule import Rule, Severity
from policies.subject import NODE_GROUP, UNKNOWN, Kind, Plain, Subject, Unknown, at, items_at, mapping_at, quoted

LAUNCH_TEMPLATE = Kind("", "aws:ec2/launchTemplate:LaunchTemplate")

_NVIDIA_IMAGE = "NVIDIA"
"""In the name of every EKS image type with NVIDIA's driver (AL2023_x86_64_NVIDIA and the like)."""
_ARM64_IMAGE = "_ARM_64_"
"""In the name of those for arm64 (AL2023_ARM_64_NVIDIA)."""


def _standard_faults(subject: Subject) -> Iterable[Fault]:
    node_labels = mapping_at(subject, "labels")
    if isinstance(node_labels, Unknown) or UNKNOWN in node_labels.values():
        return []
    texts = {key: str(value) for key, value in node_labels.items()}
    image = at(subject.body, "amiType")
    if not any(key.startswith(labels.PREFIX) for key in texts) and not (
        isinstance(image, str) and _NVIDIA_IMAGE in image
    ):
        return []
    return [*labels.label_problems(texts, "labels"), *_missing_taints(subject, texts.get(labels.ROLE.key), image)]


def _missing_taints(subject: Subject, role: str | None, image: Plain) -> list[Fault]:
    node_taints = items_at(subject, "taints")
    if isinstance(node_taints, Unknown):
        return []
    taint_keys = [at(line, "key") for line in node_taints]
    if UNKNOWN in taint_keys:
        return []
    required = [keys.GPU_TAINT, taints.DEDICATED_KEY, labels.PURPOSE.key]
    if role == labels.Role.CHIEF.value:
        required.append(labels.ROLE.key)
    if isinstance(image, str) and _ARM64_IMAGE in image:
        required.append(keys.ARCHITECTURE)
    return [
        Fault(f"taints[{key}]", "no such taint", "the standard's taints on every GPU node", f"add the taint {key}")
        for key in required
        if key not in taint_keys
    ]


def _metadata_options(subject: Subject) -> Iterable[Fault]:
    options = at(subject.body, "metadataOptions")
    hops, tokens = at(options, "httpPutResponseHopLimit"), at(options, "httpTokens")
    faults: list[Fault] = []
    if hops is not UNKNOWN and (hops != 1 or isinstance(hops, bool)):
        path, allowed = "metadataOptions.httpPutResponseHopLimit", "1: with two hops every pod can take the node's role"
        faults.append(Fault(path, quoted(hops), allowed, "set httpPutResponseHopLimit: 1"))
    if tokens not in ("required", UNKNOWN):
        path, allowed = (
            "metadataOptions.httpTokens",
            "required: without tokens the metadata service answers every request",
        )
        faults.append(Fault(path, quoted(tokens), allowed, "set httpTokens: required"))
    return faults


def _unencrypted_volumes(subject: Subject) -> Iterable[Fault]:
    disks = items_at(subject, "blockDeviceMappings")
    if isinstance(disks, Unknown):
        return []
    if not disks:
        return [Fault("blockDeviceMappings", "nothing", "the volumes by name, encrypted", "add the root volume")]
    return [
        Fault(
            f"blockDeviceMappings[{number}].ebs.encrypted", quoted(encrypted), "true on every volume", "set it to true"
        )
        for number, disk in enumerate(disks)
        if (encrypted := at(disk, "ebs", "encrypted")) not in (True, "true", UNKNOWN)
    ]


NODE_GROUP_STANDARD = Rule(
    name="node-group-standard",
    description="A managed node group with NVIDIA cards carries the label standard and its taints, as a NodePool does.",
    severity=Severity.HIGH,
    remediation="Write the standard's labels and taints on the node group, or make it a pool of the settings.",
    kinds=(NODE_GROUP,),
    judge=_standard_faults,
    admission=CLOUD,
)

LAUNCH_TEMPLATE_METADATA = Rule(
    name="launch-template-metadata",
    description="Pods on a node group cannot reach its nodes' metadata service, and so not their role.",
    severity=Severity.CRITICAL,
    remediation="Set metadataOptions.httpPutResponseHopLimit to 1 and httpTokens to required.",
    kinds=(LAUNCH_TEMPLATE,),
    judge=_metadata_options,
    admission=CLOUD,
)

LAUNCH_TEMPLATE_VOLUMES = Rule(
    name="launch-template-volumes",
    description="Every volume of a node group's nodes is encrypted, and says so.",
    severity=Severity.HIGH,
    remediation="Set encrypted on the ebs part of every block device mapping.",
    kinds=(LAUNCH_TEMPLATE,),
    judge=_unencrypted_volumes,
    admission=CLOUD,
)

RULES = (NODE_GROUP_STANDARD, LAUNCH_TEMPLATE_METADATA, LAUNCH_TEMPLATE_VOLUMES)
