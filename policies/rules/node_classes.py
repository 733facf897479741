"""Node classes: encrypted disks, a metadata service that pods cannot use, no public address."""

from __future__ import annotations

from collections.abc import Iterable

from gpuplatform.faults import Fault
from policies.cel import Cel
from policies.rule import Rule, Severity
from policies.subject import NODE_CLASS, UNKNOWN, Subject, Unknown, at, items_at, quoted

_METADATA = "spec.metadataOptions"
_FILLED_IN = "an absent field, for which Karpenter's definition has the right default"


def _unencrypted_volumes(subject: Subject) -> Iterable[Fault]:
    disks = items_at(subject, "spec", "blockDeviceMappings")
    if isinstance(disks, Unknown):
        return []
    if not disks:
        allowed = "the volumes by name: otherwise a default decides whether they are encrypted"
        return [Fault("spec.blockDeviceMappings", "nothing", allowed, "add the root volume with encrypted: true")]
    return [
        Fault(
            f"spec.blockDeviceMappings[{number}].ebs.encrypted",
            quoted(at(disk, "ebs", "encrypted")),
            "true on every volume",
            "set encrypted: true",
        )
        for number, disk in enumerate(disks)
        if at(disk, "ebs", "encrypted") not in (True, UNKNOWN)
    ]


def _token_option(subject: Subject) -> Iterable[Fault]:
    tokens = at(subject.body, *_METADATA.split("."), "httpTokens")
    if tokens in ("required", UNKNOWN):
        return []
    return [
        Fault(
            f"{_METADATA}.httpTokens",
            quoted(tokens),
            "required: without tokens the metadata service answers every request that reaches it",
            "set httpTokens: required",
        )
    ]


def _hop_limit(subject: Subject) -> Iterable[Fault]:
    hops = at(subject.body, *_METADATA.split("."), "httpPutResponseHopLimit")
    if hops is UNKNOWN or (hops == 1 and not isinstance(hops, bool)):
        return []
    return [
        Fault(
            f"{_METADATA}.httpPutResponseHopLimit",
            quoted(hops),
            "1: with two hops every pod can take the node's role",
            "set httpPutResponseHopLimit: 1",
        )
    ]


def _public_address(subject: Subject) -> Iterable[Fault]:
    value = at(subject.body, "spec", "associatePublicIPAddress")
    if value in (None, False, UNKNOWN):
        return []
    change = "remove associatePublicIPAddress, or set it to false"
    return [Fault("spec.associatePublicIPAddress", quoted(value), "no public address on a node", change)]


NODE_VOLUMES_ENCRYPTED = Rule(
    name="node-volumes-encrypted",
    description="Every volume of a node class is encrypted, and says so.",
    severity=Severity.HIGH,
    remediation="Set encrypted: true on the ebs part of every block device mapping.",
    kinds=(NODE_CLASS,),
    judge=_unencrypted_volumes,
    admission=Cel(
        "object.spec.?blockDeviceMappings.orValue([]).size() > 0"
        " && object.spec.blockDeviceMappings.all(each, each.?ebs.?encrypted.orValue(false))"
    ),
)

NODE_METADATA_TOKENS = Rule(
    name="node-metadata-tokens",
    description="Nodes answer metadata requests only with a token (IMDSv2).",
    severity=Severity.HIGH,
    remediation="Set spec.metadataOptions.httpTokens to required.",
    kinds=(NODE_CLASS,),
    judge=_token_option,
    admission=Cel('object.spec.?metadataOptions.?httpTokens.orValue("") == "required"', gap=_FILLED_IN),
)

NODE_METADATA_HOPS = Rule(
    name="node-metadata-hops",
    description="Pods cannot reach the node's metadata service, and so not its role.",
    severity=Severity.CRITICAL,
    remediation="Set spec.metadataOptions.httpPutResponseHopLimit to 1; give pods an identity of their own.",
    kinds=(NODE_CLASS,),
    judge=_hop_limit,
    admission=Cel("object.spec.?metadataOptions.?httpPutResponseHopLimit.orValue(0) == 1", gap=_FILLED_IN),
)

NODE_WITHOUT_PUBLIC_ADDRESS = Rule(
    name="node-without-public-address",
    description="Nodes have no public address.",
    severity=Severity.HIGH,
    remediation="Remove spec.associatePublicIPAddress.",
    kinds=(NODE_CLASS,),
    judge=_public_address,
    admission=Cel("!object.spec.?associatePublicIPAddress.orValue(false)"),
)

RULES = (NODE_VOLUMES_ENCRYPTED, NODE_METADATA_TOKENS, NODE_METADATA_HOPS, NODE_WITHOUT_PUBLIC_ADDRESS)
