"""Fields of the account's resources, of bindings, of limits, and of Karpenter's values."""

from __future__ import annotations

import json
from collections.abc import Callable

from policies.reads import Path
from policies.rules.bindings import CLUSTER_ROLE, CLUSTER_ROLE_BINDING, ROLE_BINDING
from policies.rules.identity import POLICY, ROLE
from policies.rules.network import INGRESS_RULE, SERVICE, SUBNET
from policies.rules.node_groups import LAUNCH_TEMPLATE
from policies.rules.tenant_limits import LIMIT_RANGE
from policies.subject import CLUSTER, NODE_POOL, RELEASE, Plain, Subject, at
from tests.policies.documents import Gone
from tests.policies.mutants.breaking import Way, at_path
from tests.policies.mutants.table import Judge, Row, Where, right, row

REMOVED, VALUE, TYPE = Way.REMOVED, Way.VALUE, Way.TYPE
_SCHEME = "metadata.annotations[service.beta.kubernetes.io/aws-load-balancer-scheme]"
_OLD_WORDS = "metadata.annotations[service.beta.kubernetes.io/aws-load-balancer-internal]"


def _karpenter(subject: Subject, _: Path) -> bool:
    return str(at(subject.body, "chart")).endswith("/karpenter")


def _is(path: Path, value: object) -> Where:
    return lambda subject, _: at_path(subject.body, path) == value


def _rewritten(part: str, value: Plain) -> Callable[[Plain | Gone], Plain]:
    """A policy's text with that part of its first statement changed."""

    def rewrite(policy: Plain | Gone) -> Plain:
        document = json.loads(str(policy))
        document["Statement"][0][part] = value
        document["Statement"][0].pop("Condition", None)
        return json.dumps(document)

    return rewrite


def _one_down(number: Plain | Gone) -> Plain:
    return number - 1 if isinstance(number, int) else number if not isinstance(number, Gone) else None


def _has_a_rung_below(subject: Subject, _: Path) -> bool:
    return subject.name.startswith("infer-l4")


_NOBODY_COMES_IN = "a rule without a network is one of a security group"
_GATES = "values.settings.featureGates"
_STAGING = _is(("values", "settings", "clusterName"), "gpu-staging")
_BINDINGS = (ROLE_BINDING, CLUSTER_ROLE_BINDING)
_BALANCES = _is(("spec", "type"), "LoadBalancer")

ROWS: tuple[Row, ...] = (
    row(POLICY, "policy", "iam-actions-named", VALUE, values=(_rewritten("Action", "*"), "wrong")),
    row(POLICY, "policy", "iam-actions-named", VALUE, values=(_rewritten("Resource", "*"),)),
    row(POLICY, "policy", "iam-actions-named", REMOVED, TYPE),
    row(ROLE, "assumeRolePolicy", "role-trust-named", VALUE, values=(_rewritten("Principal", "*"), "wrong")),
    row(ROLE, "assumeRolePolicy", "role-trust-named", REMOVED, TYPE),
    row(SUBNET, "mapPublicIpOnLaunch", "subnet-without-public-addresses", VALUE, TYPE, values=(True,)),
    right(SUBNET, "mapPublicIpOnLaunch", "AWS gives none by itself", REMOVED),
    row(INGRESS_RULE, "cidrIpv4", "security-group-closed", VALUE, TYPE, values=("0.0.0.0/0", "wrong")),
    row(INGRESS_RULE, "cidrIpv6", "security-group-closed", VALUE, TYPE, values=("::/0",)),
    right(INGRESS_RULE, "cidrIpv*", _NOBODY_COMES_IN, REMOVED),
    row(LAUNCH_TEMPLATE, "metadataOptions*", "launch-template-metadata", REMOVED, TYPE),
    row(LAUNCH_TEMPLATE, "metadataOptions", "launch-template-metadata", REMOVED, TYPE),
    row(
        LAUNCH_TEMPLATE, "metadataOptions.httpPutResponseHopLimit", "launch-template-metadata", VALUE, values=(2, True)
    ),
    row(LAUNCH_TEMPLATE, "metadataOptions.httpTokens", "launch-template-metadata", VALUE, values=("optional",)),
    row(LAUNCH_TEMPLATE, "blockDeviceMappings", "launch-template-volumes", REMOVED, TYPE),
    row(LAUNCH_TEMPLATE, "blockDeviceMappings[].ebs.encrypted", "launch-template-volumes", REMOVED, TYPE),
    row(LAUNCH_TEMPLATE, "blockDeviceMappings[].ebs.encrypted", "launch-template-volumes", VALUE, values=("false",)),
    row(CLUSTER, "vpcConfig.endpointPrivateAccess", "cluster-endpoint-private", REMOVED, TYPE),
    row(CLUSTER, "vpcConfig.endpointPrivateAccess", "cluster-endpoint-private", VALUE, values=(False,)),
    row(SERVICE, _SCHEME, "load-balancer-internal", where=_BALANCES),
    right(SERVICE, _OLD_WORDS, "the scheme beside it decides", VALUE),
    right(SERVICE, "spec.loadBalancerClass", "another controller makes it, outside of AWS", VALUE),
    row(SERVICE, "spec.type", "load-balancer-internal", VALUE, values=("LoadBalancer",)),
    right(SERVICE, "spec.type", "a Service of another type opens nothing", REMOVED),
    row(SERVICE, "spec.type", Judge.API_SERVER, TYPE, VALUE),
    row(_BINDINGS, "roleRef.name", "binding-named", VALUE, values=("cluster-admin",)),
    row(_BINDINGS, "subjects[].name", "binding-named", VALUE, values=("system:authenticated",)),
    row(ROLE_BINDING, "roleRef.*", Judge.SCHEMA, REMOVED, TYPE),
    row(ROLE_BINDING, "subjects[].name", Judge.SCHEMA, REMOVED, TYPE),
    row(CLUSTER_ROLE_BINDING, "*", Judge.API_SERVER, REMOVED, TYPE),
    row(_BINDINGS, "roleRef.kind", Judge.API_SERVER, VALUE),
    row(CLUSTER_ROLE, "rules[].apiGroups[]", "binding-narrow", VALUE, values=("*",)),
    row(CLUSTER_ROLE, "rules[].resources[]", "binding-narrow", VALUE, values=("*", "secrets")),
    row(CLUSTER_ROLE, "rules[].verbs[]", "binding-narrow", VALUE, values=("*",)),
    right(CLUSTER_ROLE, "rules[].*[]", "a role may grant less, or what nobody serves", REMOVED, VALUE),
    row(CLUSTER_ROLE, "rules[].*", Judge.API_SERVER, TYPE),
    row(CLUSTER_ROLE, "rules[].resourceNames", Judge.API_SERVER, VALUE),
    row(LIMIT_RANGE, "metadata.namespace", "tenant-limit-range"),
    row(LIMIT_RANGE, "spec.limits", "tenant-limit-range", REMOVED, TYPE),
    row(LIMIT_RANGE, "spec.limits[].type", "tenant-limit-range"),
    row(LIMIT_RANGE, "spec.limits[].default*.memory", "tenant-limit-range", REMOVED),
    row(LIMIT_RANGE, "spec.limits[].default*.memory", Judge.API_SERVER, VALUE, TYPE),
    row(RELEASE, "values", "karpenter-hears-interruptions", REMOVED, TYPE, where=_karpenter),
    row(RELEASE, "values.settings.interruptionQueue", "karpenter-hears-interruptions", REMOVED, TYPE),
    row(RELEASE, "values.settings.interruptionQueue", "karpenter-hears-interruptions", VALUE, values=("",)),
    right(RELEASE, f"{_GATES}.staticCapacity", "no NodePool of this stack is static", REMOVED, TYPE, where=_STAGING),
    row(RELEASE, f"{_GATES}.staticCapacity", Judge.NOBODY, VALUE, values=(False,), where=_STAGING, why="as above"),
    row(RELEASE, f"{_GATES}.*", "karpenter-gates-open", REMOVED, TYPE, VALUE, values=(False,)),
    row(NODE_POOL, "spec.weight", "weights-descend", VALUE, values=(_one_down,), where=_has_a_rung_below),
)
