"""The cluster: named networks reach it, its secrets are encrypted, access entries give access, all logs are on."""

from __future__ import annotations

from collections.abc import Iterable

from gpuplatform.faults import Fault
from policies.cel import CLOUD
from policies.rule import Rule, Severity
from policies.rules.network import has_one_owner
from policies.subject import CLUSTER, UNKNOWN, Subject, Unknown, at, items, items_at, quoted, text

_LOG_TYPES = ("api", "audit", "authenticator", "controllerManager", "scheduler")


def _endpoint(subject: Subject) -> Iterable[Fault]:
    public = at(subject.body, "vpcConfig", "endpointPublicAccess")
    networks = items(at(subject.body, "vpcConfig", "publicAccessCidrs"))
    if public is False or public is UNKNOWN or isinstance(networks, Unknown):
        return []
    path = "vpcConfig.publicAccessCidrs"
    if not networks:
        allowed = "named networks, or endpointPublicAccess: false; EKS opens the endpoint to the world otherwise"
        return [
            Fault(path, "nothing", allowed, "name the networks that may reach the API, or close the public endpoint")
        ]
    return [
        Fault(path, quoted(network), "networks of your own, by address", "name your own networks instead")
        for network in map(text, networks)
        if isinstance(network, str) and not has_one_owner(network)
    ]


def _private_endpoint(subject: Subject) -> Iterable[Fault]:
    access = at(subject.body, "vpcConfig", "endpointPrivateAccess")
    if access in (True, UNKNOWN):
        return []
    allowed = "true: otherwise nodes leave the network to reach the cluster's API"
    return [Fault("vpcConfig.endpointPrivateAccess", quoted(access), allowed, "set endpointPrivateAccess to true")]


def _encryption(subject: Subject) -> Iterable[Fault]:
    config = at(subject.body, "encryptionConfig")
    key, kinds = at(config, "provider", "keyArn"), items(at(config, "resources"))
    faults: list[Fault] = []
    if key is not UNKNOWN and not (isinstance(key, str) and key.startswith("arn:")):
        allowed = "the ARN of a key of your own"
        faults.append(Fault("encryptionConfig.provider.keyArn", quoted(key), allowed, "name a KMS key"))
    if not isinstance(kinds, Unknown) and UNKNOWN not in kinds and "secrets" not in kinds:
        faults.append(Fault("encryptionConfig.resources", quoted(at(config, "resources")), "secrets", "add secrets"))
    return faults


def _authentication_mode(subject: Subject) -> Iterable[Fault]:
    mode = at(subject.body, "accessConfig", "authenticationMode")
    if mode in ("API", UNKNOWN):
        return []
    allowed = "API: anyone who may edit ConfigMaps may edit the ConfigMap of users, and its loss locks everyone out"
    return [Fault("accessConfig.authenticationMode", quoted(mode), allowed, "set authenticationMode to API")]


def _missing_logs(subject: Subject) -> Iterable[Fault]:
    enabled = items_at(subject, "enabledClusterLogTypes")
    if isinstance(enabled, Unknown) or UNKNOWN in enabled:
        return []
    missing = [log_type for log_type in _LOG_TYPES if log_type not in enabled]
    if not missing:
        return []
    named = ", ".join(str(log_type) for log_type in enabled) or "none"
    return [Fault("enabledClusterLogTypes", named, ", ".join(_LOG_TYPES), f"add {', '.join(missing)}")]


CLUSTER_ENDPOINT_NAMED = Rule(
    name="cluster-endpoint-named",
    description="The cluster's API is private, or public to named networks only.",
    severity=Severity.CRITICAL,
    remediation="Set endpointPublicAccess to false, or publicAccessCidrs to your own networks.",
    kinds=(CLUSTER,),
    judge=_endpoint,
    admission=CLOUD,
)

CLUSTER_ENDPOINT_PRIVATE = Rule(
    name="cluster-endpoint-private",
    description="Nodes and pods reach the cluster's API from inside the network.",
    severity=Severity.HIGH,
    remediation="Set endpointPrivateAccess to true.",
    kinds=(CLUSTER,),
    judge=_private_endpoint,
    admission=CLOUD,
)

CLUSTER_SECRETS_ENCRYPTED = Rule(
    name="cluster-secrets-encrypted",
    description="The cluster's secrets are encrypted with a customer key.",
    severity=Severity.HIGH,
    remediation="Give encryptionConfig a KMS key of your own and the resource secrets.",
    kinds=(CLUSTER,),
    judge=_encryption,
    admission=CLOUD,
)

CLUSTER_ACCESS_BY_API = Rule(
    name="cluster-access-by-api",
    description="Access to the cluster is given by access entries alone.",
    severity=Severity.HIGH,
    remediation="Set accessConfig.authenticationMode to API.",
    kinds=(CLUSTER,),
    judge=_authentication_mode,
    admission=CLOUD,
)

CLUSTER_LOGS_COMPLETE = Rule(
    name="cluster-logs-complete",
    description="The control plane writes all five types of log.",
    severity=Severity.MEDIUM,
    remediation=f"Set enabledClusterLogTypes to {', '.join(_LOG_TYPES)}.",
    kinds=(CLUSTER,),
    judge=_missing_logs,
    admission=CLOUD,
)

RULES = (
    CLUSTER_ENDPOINT_NAMED,
    CLUSTER_ENDPOINT_PRIVATE,
    CLUSTER_SECRETS_ENCRYPTED,
    CLUSTER_ACCESS_BY_API,
    CLUSTER_LOGS_COMPLETE,
)
