"""Fields of teams' namespaces, priorities, the operator's chart and the cluster."""

from __future__ import annotations

from policies.reads import Path
from policies.rules.operator_values import CLUSTER_POLICY, SERVICE_MONITOR
from policies.subject import (
    CLUSTER,
    NAMESPACE,
    NETWORK_POLICY,
    PRIORITY_CLASS,
    RELEASE,
    RESOURCE_QUOTA,
    ROLE,
    SERVICE_ACCOUNT,
    STACK,
    Subject,
    at,
)
from tests.policies.documents import GONE
from tests.policies.mutants.breaking import Way, at_path
from tests.policies.mutants.table import Judge, Row, Where, right, row

REMOVED, VALUE, TYPE = Way.REMOVED, Way.VALUE, Way.TYPE
_OF_OTHERS = "it is no team's namespace"


def _named(name: str) -> Where:
    return lambda subject, _: subject.name == name


def _label(key: str) -> Where:
    return lambda subject, _: at(subject.body, "metadata", "labels", key) is not None


_TEAM = _label("team")
_DENY = _named("default-deny")
_ELSE = "it watches something else"


def _app(subject: Subject) -> object:
    return at(subject.body, "spec", "selector", "matchLabels", "app")


def _watches_cards(subject: Subject, _: Path) -> bool:
    return _app(subject) == "nvidia-dcgm-exporter"


def _watches_else(subject: Subject, _: Path) -> bool:
    return _app(subject) != "nvidia-dcgm-exporter"


def _there(subject: Subject, path: Path) -> bool:
    return at_path(subject.body, path) is not GONE


NAMESPACE_ROWS = (
    row(NAMESPACE, "metadata.name", Judge.SCHEMA, REMOVED),
    row(NAMESPACE, "metadata.name", "tenant-quota", VALUE, where=_TEAM),
    right(NAMESPACE, "metadata.name", _OF_OTHERS, VALUE),
    row(NAMESPACE, "metadata.name", Judge.SCHEMA, TYPE),
    row(NAMESPACE, "metadata.labels.team", "tenant-labels-fixed", where=_TEAM),
    row(NAMESPACE, "metadata.labels.team", "tenant-quota", VALUE),
    row(NAMESPACE, "metadata.labels[app.kubernetes.io/part-of]", "tenant-labels-fixed", where=_TEAM),
    right(NAMESPACE, "metadata.labels[app.kubernetes.io/part-of]", _OF_OTHERS, VALUE),
    row(NAMESPACE, "metadata.labels[pod-security.kubernetes.io/enforce]", "tenant-pod-security", where=_TEAM),
    right(NAMESPACE, "metadata.labels*", "a label that says nothing of the platform's", REMOVED, VALUE),
    row(NAMESPACE, "metadata.labels*", Judge.API_SERVER, TYPE),
)

NETWORK_POLICY_ROWS = (
    row(NETWORK_POLICY, "metadata.namespace", "tenant-default-deny", where=_DENY),
    row(NETWORK_POLICY, "spec.podSelector", "tenant-default-deny", TYPE, REMOVED, where=_DENY),
    row(
        NETWORK_POLICY,
        "spec.podSelector",
        "tenant-default-deny",
        VALUE,
        values=({"matchLabels": {"a": "b"}},),
        where=_DENY,
    ),
    row(NETWORK_POLICY, "spec.policyTypes[]", "tenant-default-deny", where=_DENY),
    row(NETWORK_POLICY, "spec.egress", "tenant-default-deny", VALUE, values=([{}], "wrong"), where=_DENY),
    row(NETWORK_POLICY, "spec.ingress", "tenant-default-deny", VALUE, values=([{}], "wrong"), where=_DENY),
    row(NETWORK_POLICY, "spec", "tenant-default-deny", REMOVED, TYPE, where=_DENY),
    row(NETWORK_POLICY, "spec.podSelector", Judge.SCHEMA, REMOVED),
    row(NETWORK_POLICY, "spec.policyTypes[]", Judge.API_SERVER, VALUE, TYPE),
    row(NETWORK_POLICY, "*", Judge.SCHEMA, TYPE),
    right(NETWORK_POLICY, "*", "an allowance beside the policy that denies everything", REMOVED),
    right(NETWORK_POLICY, "metadata.namespace", "an allowance in another namespace", VALUE),
    row(NETWORK_POLICY, "spec.*gress", Judge.SCHEMA, VALUE),
)

QUOTA_ROWS = (
    row(RESOURCE_QUOTA, "metadata.namespace", "tenant-quota"),
    row(RESOURCE_QUOTA, "spec.hard", "tenant-quota", REMOVED, TYPE),
    row(RESOURCE_QUOTA, "spec.hard[nvidia.com/gpu]", "quota-keys", VALUE, values=("4",)),
    row(RESOURCE_QUOTA, "spec.hard[requests.nvidia.com/mig-7g.40gb]", "quota-offered", VALUE, values=("4",)),
    row(RESOURCE_QUOTA, "spec.hard[requests.nvidia.com/*]", "quota-complete", REMOVED),
    right(RESOURCE_QUOTA, "spec.hard*", "a quota may leave a resource out", REMOVED),
    row(RESOURCE_QUOTA, "spec.hard[requests.*]", Judge.API_SERVER, VALUE, TYPE, where=_there),
    row(RESOURCE_QUOTA, "spec.hard.pods", Judge.API_SERVER, VALUE, TYPE),
)


_SECRETS: Where = lambda subject, path: at_path(subject.body, (*path[:2], "resources")) == ["secrets"]  # noqa: E731

TENANT_ROWS = (
    row(ROLE, "rules[].apiGroups[]", "role-without-wildcards", VALUE, values=("*",)),
    row(ROLE, "rules[].resources[]", "role-without-wildcards", VALUE, values=("*",)),
    row(ROLE, "rules[].verbs[]", "role-without-wildcards", VALUE, values=("*",)),
    row(ROLE, "rules[].resources[]", "secrets-by-name", VALUE, values=("secrets",), where=lambda s, p: not _held(s, p)),
    right(ROLE, "rules[].*[]", "a role may grant less", REMOVED),
    row(ROLE, "rules[].*[]", Judge.API_SERVER, TYPE),
    row(ROLE, "rules[].resourceNames", "secrets-by-name", REMOVED, TYPE, where=_SECRETS),
    right(ROLE, "rules[].resourceNames", "only secrets need names", REMOVED),
    row(ROLE, "rules[].resourceNames", Judge.SCHEMA, VALUE, TYPE),
    row(SERVICE_ACCOUNT, "automountServiceAccountToken", "service-account-token-off", REMOVED, TYPE),
    row(SERVICE_ACCOUNT, "automountServiceAccountToken", "service-account-token-off", VALUE, values=(True,)),
    right(SERVICE_ACCOUNT, "metadata.namespace", "an account may stand in any namespace", REMOVED, VALUE),
    row(SERVICE_ACCOUNT, "metadata.namespace", Judge.SCHEMA, TYPE),
    row(
        SERVICE_ACCOUNT,
        "metadata.annotations",
        "token-field-not-annotation",
        VALUE,
        values=({"automountServiceAccountToken": "false"},),
    ),
    row(PRIORITY_CLASS, "globalDefault", "priority-class-not-default", TYPE, VALUE, values=(True,)),
    right(PRIORITY_CLASS, "globalDefault", "a class is no default by itself", REMOVED),
    right(PRIORITY_CLASS, "metadata.name", "a class of somebody else's", VALUE),
    row(PRIORITY_CLASS, "metadata.name", Judge.SCHEMA, REMOVED, TYPE),
    row(PRIORITY_CLASS, "preemptionPolicy", "priority-class-standard", TYPE, VALUE, values=("Never",)),
    right(PRIORITY_CLASS, "preemptionPolicy", "the API's own default preempts", REMOVED),
    row(PRIORITY_CLASS, "value", "priority-class-standard", REMOVED, TYPE, VALUE, values=(10, True)),
)


def _held(subject: Subject, path: Path) -> bool:
    return bool(at_path(subject.body, (*path[:2], "resourceNames"))) and "resourceNames" in _rule(subject, path)


def _rule(subject: Subject, path: Path) -> list[str]:
    policy_rule = at_path(subject.body, path[:2])
    return list(policy_rule) if isinstance(policy_rule, dict) else []


_OPERATOR: Where = lambda subject, _: "gpu-operator" in str(at(subject.body, "chart"))  # noqa: E731


def _toleration(*keys: str) -> Where:
    return lambda subject, path: at_path(subject.body, (*path[:-1], "key")) in keys


_COMMON = _toleration("nvidia.com/gpu", "dedicated", "gpu.pool")
_BOTH_LISTS = ("values.daemonsets", "values[node-feature-discovery].worker")

OPERATOR_ROWS: tuple[Row, ...] = (
    right(RELEASE, "chart", "another chart, of which nothing is asked", VALUE),
    row(RELEASE, "chart", Judge.SCHEMA, REMOVED, TYPE),
    row(RELEASE, "values", "operator-installs-nothing", REMOVED, where=_OPERATOR),
    right(RELEASE, "values", "the values of another chart", REMOVED),
    row(RELEASE, "values", "operator-installs-nothing", TYPE, where=_OPERATOR),
    row(RELEASE, "values", Judge.SCHEMA, TYPE),
    row(RELEASE, "values.driver.enabled", "operator-installs-nothing", REMOVED, TYPE, VALUE, values=(True,)),
    row(RELEASE, "values.toolkit.enabled", "operator-installs-nothing", REMOVED, TYPE, VALUE, values=(True,)),
    row(RELEASE, "values.mig.strategy", "operator-mig-mixed", REMOVED, TYPE, VALUE, values=("single",)),
    row(
        RELEASE,
        "values.devicePlugin.config.default",
        "operator-shares-nothing-by-default",
        TYPE,
        VALUE,
        values=("time-slicing-x4",),
    ),
    right(RELEASE, "values.devicePlugin.config.default", "the chart has no default either", REMOVED),
    *(
        tolerations_row
        for part in _BOTH_LISTS
        for tolerations_row in (
            row(RELEASE, f"{part}.tolerations", "operator-tolerates-standard", REMOVED, TYPE, where=_OPERATOR),
            row(RELEASE, f"{part}.tolerations[].key", "operator-tolerates-standard", VALUE, TYPE, where=_COMMON),
            row(RELEASE, f"{part}.tolerations[].key", "operator-reaches-pools", VALUE, TYPE),
            right(RELEASE, f"{part}.tolerations[].key", "without a key it tolerates everything", REMOVED),
            row(RELEASE, f"{part}.tolerations[].effect", "operator-reaches-pools", VALUE, TYPE),
            right(RELEASE, f"{part}.tolerations[].effect", "without an effect it tolerates each", REMOVED),
            row(RELEASE, f"{part}.tolerations[].operator", "operator-reaches-pools"),
            right(RELEASE, f"{part}.tolerations[].value", "Exists asks for no value", VALUE),
        )
    ),
    row(CLUSTER_POLICY, "metadata.name", "cluster-policy-named", VALUE),
    row(CLUSTER_POLICY, "metadata.name", Judge.API_SERVER, REMOVED, TYPE),
    row(
        SERVICE_MONITOR,
        "spec.endpoints[].port",
        "exporter-scraped",
        VALUE,
        TYPE,
        values=("metrics",),
        where=_watches_cards,
    ),
    right(SERVICE_MONITOR, "spec.endpoints[].port", _ELSE, VALUE, where=_watches_else),
    row(SERVICE_MONITOR, "spec.endpoints[].port", Judge.API_SERVER, TYPE, where=_watches_else),
    row(SERVICE_MONITOR, "spec.endpoints", Judge.API_SERVER, REMOVED, TYPE),
    row(SERVICE_MONITOR, "spec.endpoints[]", Judge.API_SERVER, TYPE),
    right(SERVICE_MONITOR, "spec.endpoints[]", "one endpoint less", REMOVED),
    right(SERVICE_MONITOR, "spec.endpoints[].port", "an endpoint may name its port by number", REMOVED),
    right(SERVICE_MONITOR, "spec.selector.matchLabels.app", _ELSE, REMOVED, VALUE),
    row(SERVICE_MONITOR, "spec.selector.matchLabels.app", Judge.API_SERVER, TYPE),
)


def _is(path: Path, value: object) -> Where:
    return lambda subject, _: at_path(subject.body, path) == value


_CLOSED = _is(("vpcConfig", "endpointPublicAccess"), False)
_PUBLIC = _is(("vpcConfig", "endpointPublicAccess"), True)

CLUSTER_ROWS: tuple[Row, ...] = (
    row(CLUSTER, "vpcConfig", "cluster-endpoint-named", REMOVED, TYPE),
    row(CLUSTER, "vpcConfig.publicAccessCidrs", "cluster-endpoint-named", REMOVED, TYPE, where=_PUBLIC),
    row(
        CLUSTER,
        "vpcConfig.publicAccessCidrs[]",
        "cluster-endpoint-named",
        REMOVED,
        TYPE,
        VALUE,
        values=("0.0.0.0/0", "wrong"),
    ),
    row(CLUSTER, "vpcConfig.publicAccessCidrs", Judge.SCHEMA, VALUE, where=_CLOSED),
    right(CLUSTER, "vpcConfig.endpointPublicAccess", "the networks are named", REMOVED, where=_PUBLIC),
    row(CLUSTER, "vpcConfig.endpointPublicAccess", Judge.SCHEMA, VALUE, where=_PUBLIC),
    row(CLUSTER, "vpcConfig.endpointPublicAccess", "cluster-endpoint-named", REMOVED, VALUE, values=(True,)),
    row(CLUSTER, "vpcConfig.endpointPublicAccess", Judge.SCHEMA, TYPE, where=_PUBLIC),
    row(CLUSTER, "vpcConfig.endpointPublicAccess", "cluster-endpoint-named", TYPE),
    row(CLUSTER, "accessConfig*", "cluster-access-by-api", REMOVED, TYPE),
    row(CLUSTER, "accessConfig.authenticationMode", "cluster-access-by-api", VALUE, values=("CONFIG_MAP",)),
    row(CLUSTER, "enabledClusterLogTypes", "cluster-logs-complete", REMOVED, TYPE),
    row(CLUSTER, "enabledClusterLogTypes[]", "cluster-logs-complete"),
    row(CLUSTER, "encryptionConfig", "cluster-secrets-encrypted", REMOVED, TYPE),
    row(CLUSTER, "encryptionConfig.provider.keyArn", "cluster-secrets-encrypted", REMOVED, TYPE),
    row(CLUSTER, "encryptionConfig.provider.keyArn", "cluster-secrets-encrypted", VALUE, values=("", "alias/a")),
    row(CLUSTER, "encryptionConfig.resources[]", "cluster-secrets-encrypted"),
)


def _of_no_pools(subject: Subject, path: Path) -> bool:
    return at_path(subject.body, (*path[:-1], "pools")) is GONE


def _of_research(subject: Subject, path: Path) -> bool:
    return at_path(subject.body, (*path[:3], "name")) == "research"


STACK_ROWS = (
    right(STACK, "platform", "a program that publishes no such document is not this platform", REMOVED),
    row(STACK, "platform", "budget-kept", TYPE),
    row(STACK, "platform.capacity", "guarantees-within-capacity", REMOVED, TYPE),
    right(STACK, "platform.capacity[]", "a resource of which no line is published is not the rule's", REMOVED),
    row(STACK, "platform.capacity[]", "guarantees-within-capacity", TYPE),
    row(STACK, "platform.capacity[].pools*", "guarantees-within-capacity", REMOVED, TYPE),
    row(STACK, "platform.capacity[].pools.*", "guarantees-within-capacity", VALUE, values=(1, "many")),
    row(STACK, "platform.capacity[].guaranteed", "guarantees-within-capacity", REMOVED, TYPE),
    right(STACK, "platform.capacity[].guaranteed[]", "fewer guarantees are kept as well", REMOVED),
    row(STACK, "platform.capacity[].guaranteed[]", "guarantees-within-capacity", TYPE),
    row(STACK, "platform.capacity[].guaranteed[].amount", "guarantees-within-capacity", REMOVED, TYPE),
    row(STACK, "platform.capacity[].guaranteed[].amount", "guarantees-within-capacity", VALUE, values=(10**6, "all")),
    row(STACK, "platform.capacity[].allowed_ratio", "guarantees-within-capacity", REMOVED, TYPE),
    row(STACK, "platform.capacity[].allowed_ratio", "guarantees-within-capacity", VALUE, values=(0.1, "much")),
    right(STACK, "platform.capacity[].guaranteed[].pools", "an older release named none: any of the line", REMOVED),
    row(STACK, "platform.capacity[].guaranteed[].pools", "guarantees-within-capacity", TYPE, VALUE),
    row(STACK, "platform.capacity[].guaranteed[].pools[]", "guarantees-within-capacity", REMOVED, VALUE, TYPE),
    right(STACK, "platform.capacity[].resource", "only quoted"),
    right(STACK, "platform.capacity[].guaranteed[].tenant", "only quoted"),
    right(STACK, "platform.capacity[].guaranteed[].namespace", "it names no pools", where=_of_no_pools),
    row(STACK, "platform.capacity[].guaranteed[].namespace", "tenant-pools-published"),
    row(STACK, "platform.tenants*", "tenant-pools-published", TYPE),
    row(STACK, "platform.tenants", "tenant-pools-published", REMOVED),
    row(STACK, "platform.tenants[].namespaces", "tenant-pools-published", REMOVED),
    row(STACK, "platform.tenants[].namespaces[].name", "tenant-pools-published", REMOVED),
    row(STACK, "platform.tenants[].namespaces[].pools", "tenant-pools-published", REMOVED),
    right(STACK, "platform.tenants[]*", "no guarantee names its pools", REMOVED, VALUE, where=_of_research),
    row(STACK, "platform.tenants[]*", "tenant-pools-published", REMOVED, VALUE),
    row(STACK, "platform.cost", "budget-kept", REMOVED, TYPE),
    row(STACK, "platform.cost.monthly_*_usd", "budget-kept", REMOVED, TYPE),
    row(STACK, "platform.cost.monthly_*_limit_usd", "budget-kept", VALUE, values=(1, "much")),
    row(STACK, "platform.cost.monthly_budget_usd", "budget-kept", VALUE, values=(1, "much")),
    row(STACK, "platform.cost.monthly_floor_usd", "budget-kept", VALUE, values=(10**9, "little")),
    row(STACK, "platform.cost.monthly_ceiling_usd", "budget-kept", VALUE, values=(10**9, "little")),
)

ROWS: tuple[Row, ...] = (
    *NAMESPACE_ROWS,
    *NETWORK_POLICY_ROWS,
    *QUOTA_ROWS,
    *TENANT_ROWS,
    *OPERATOR_ROWS,
    *CLUSTER_ROWS,
    *STACK_ROWS,
)
