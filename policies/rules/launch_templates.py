"""Launch templates of node groups: the same metadata service and disks as a node class asks for (N18)."""

from __future__ import annotations

from collections.abc import Iterable

from gpuplatform.faults import Fault
from policies.cel import CLOUD
from policies.rule import Rule, Severity
from policies.subject import UNKNOWN, Kind, Subject, Unknown, at, items_at, quoted

LAUNCH_TEMPLATE = Kind("", "aws:ec2/launchTemplate:LaunchTemplate")


def _metadata(subject: Subject) -> Iterable[Fault]:
    options = at(subject.body, "metadataOptions")
    hops, tokens = at(options, "httpPutResponseHopLimit"), at(options, "httpTokens")
    faults: list[Fault] = []
    if hops is not UNKNOWN and (hops != 1 or isinstance(hops, bool)):
        path, allowed = "metadataOptions.httpPutResponseHopLimit", "1: with two hops every pod can take the node's role"
        faults.append(Fault(path, quoted(hops), allowed, "set httpPutResponseHopLimit: 1"))
    if tokens not in ("required", UNKNOWN):
        path, allowed = "metadataOptions.httpTokens", "required: without a token the metadata service answers anyone"
        faults.append(Fault(path, quoted(tokens), allowed, "set httpTokens: required"))
    return faults


def _volumes(subject: Subject) -> Iterable[Fault]:
    disks = items_at(subject, "blockDeviceMappings")
    if isinstance(disks, Unknown):
        return []
    if not disks:
        return [Fault("blockDeviceMappings", "nothing", "the disks by name, encrypted", "add the root volume")]
    return [
        Fault(f"blockDeviceMappings[{number}].ebs.encrypted", quoted(given), "true on every volume", "set it to true")
        for number, disk in enumerate(disks)
        if (given := at(disk, "ebs", "encrypted")) not in (True, "true", UNKNOWN)
    ]


LAUNCH_TEMPLATE_METADATA = Rule(
    name="launch-template-metadata",
    description="Pods on a node group cannot reach its nodes' metadata service, and so not their role.",
    severity=Severity.CRITICAL,
    remediation="Set metadataOptions.httpPutResponseHopLimit to 1 and httpTokens to required.",
    kinds=(LAUNCH_TEMPLATE,),
    judge=_metadata,
    admission=CLOUD,
)

LAUNCH_TEMPLATE_VOLUMES = Rule(
    name="launch-template-volumes",
    description="Every volume of a node group's nodes is encrypted, and says so.",
    severity=Severity.HIGH,
    remediation="Set encrypted on the ebs part of every block device mapping.",
    kinds=(LAUNCH_TEMPLATE,),
    judge=_volumes,
    admission=CLOUD,
)

RULES = (LAUNCH_TEMPLATE_METADATA, LAUNCH_TEMPLATE_VOLUMES)
