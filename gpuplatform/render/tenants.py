"""A team's namespaces: access, quota, defaults, isolation (Q1-Q4, Q10)."""

from __future__ import annotations

from collections.abc import Iterable

from gpuplatform.render.document import Document, a
from gpuplatform.render.tenant_network import network_policies
from gpuplatform.settings.teams import limit
from gpuplatform.settings.tenants import Namespace, Scheduling, Tenant
from gpuplatform.standard import keys, names, resources

PART_OF = "gpu-platform"
_RBAC = "rbac.authorization.k8s.io"
_RBAC_VERSION = f"{_RBAC}/v1"
_VERBS = ["get", "list", "watch", "create", "update", "patch", "delete"]
_READ = ["get", "list", "watch"]
_CHANGE = ["get", "update", "patch"]
_STREAM = ["create", "get"]
"""`kubectl exec` and `port-forward` open a websocket, which is a GET; Kubernetes 1.35 asks for create as well."""
_JOBS: list[Document] = [
    {"apiGroups": ["jobset.x-k8s.io"], "resources": ["jobsets"], "verbs": _VERBS},
    {"apiGroups": ["kubeflow.org"], "resources": ["tfjobs", "pytorchjobs", "mpijobs"], "verbs": _VERBS},
    {"apiGroups": ["ray.io"], "resources": ["rayclusters", "rayjobs"], "verbs": _VERBS},
    {"apiGroups": ["leaderworkerset.x-k8s.io"], "resources": ["leaderworkersets"], "verbs": _VERBS},
    {"apiGroups": ["keda.sh"], "resources": ["scaledobjects"], "verbs": _VERBS},
]
"""Work of other controllers than Kubernetes' own; a right to what no controller serves here is a right to nothing."""
_WAITING: Document = {"apiGroups": ["kueue.x-k8s.io"], "resources": ["localqueues", "workloads"], "verbs": _READ}
"""Why queued work waits is in its Workload."""

_SHELL: Document = {"apiGroups": [""], "resources": ["pods/exec"], "verbs": _STREAM}


def namespace_document(tenant: Tenant, namespace: Namespace) -> Document:
    """The namespace with its team, environment and Pod Security level."""
    document = a("v1", "Namespace", namespace.name)
    level = namespace.pod_security.value
    document["metadata"] = {
        "name": namespace.name,
        "labels": {
            keys.TEAM: tenant.team,
            keys.ENVIRONMENT: namespace.environment,
            keys.SCHEDULING: namespace.scheduling.value,
            keys.PART_OF: PART_OF,
            keys.POD_SECURITY_ENFORCE: level,
            keys.POD_SECURITY_ENFORCE_VERSION: "latest",
            keys.POD_SECURITY_WARN: "restricted",
        },
    }
    return document


def namespace_contents(tenant: Tenant, namespace: Namespace, offered: Iterable[str]) -> list[Document]:
    """Everything inside one namespace; ``offered`` are the resources of the stack's pools."""
    return [
        *_service_account(namespace),
        *_team_access(tenant, namespace),
        _quota(tenant, namespace, offered),
        _limit_range(namespace),
        *network_policies(namespace),
    ]


def _service_account(namespace: Namespace) -> list[Document]:
    """An account without a token, and what it may read, each by its name."""
    name, space = namespace.service_account, namespace.name
    account = a("v1", "ServiceAccount", name, space, automountServiceAccountToken=False)
    rules: list[Document] = [
        {"apiGroups": [""], "resources": [kind], "resourceNames": list(readable), "verbs": ["get"]}
        for kind, readable in (("configmaps", namespace.readable_configs), ("secrets", namespace.readable_secrets))
        if readable
    ]
    if not rules:
        return [account]
    subject = {"kind": "ServiceAccount", "name": name, "namespace": space}
    return [account, a(_RBAC_VERSION, "Role", name, space, rules=rules), _binding(name, space, [subject])]


def _team_access(tenant: Tenant, namespace: Namespace) -> list[Document]:
    """What the team's people may do: run workloads; no secrets, no change of their own limits, a shell if asked for."""
    if not tenant.groups:
        return []
    name = names.team_role(tenant.name)
    rules: list[Document] = [
        {
            "apiGroups": [""],
            "resources": ["configmaps", "persistentvolumeclaims", "pods", "services"],
            "verbs": _VERBS,
        },
        {"apiGroups": ["apps"], "resources": ["deployments", "statefulsets"], "verbs": _VERBS},
        {"apiGroups": ["batch"], "resources": ["cronjobs", "jobs"], "verbs": _VERBS},
        {"apiGroups": ["autoscaling"], "resources": ["horizontalpodautoscalers"], "verbs": _VERBS},
        {"apiGroups": ["policy"], "resources": ["poddisruptionbudgets"], "verbs": _VERBS},
        {
            "apiGroups": [""],
            "resources": ["events", "limitranges", "pods/log", "resourcequotas", "serviceaccounts"],
            "verbs": _READ,
        },
        {"apiGroups": ["apps"], "resources": ["replicasets"], "verbs": _READ},
        {"apiGroups": ["apps"], "resources": ["deployments/scale", "statefulsets/scale"], "verbs": _CHANGE},
        {"apiGroups": [""], "resources": ["pods/portforward"], "verbs": _STREAM},
        *_JOBS,
    ]
    if namespace.scheduling is Scheduling.QUEUED:
        rules.append(_WAITING)
    if namespace.shell:
        rules.append(_SHELL)
    subjects = [{"kind": "Group", "name": group, "apiGroup": _RBAC} for group in tenant.groups]
    return [a(_RBAC_VERSION, "Role", name, namespace.name, rules=rules), _binding(name, namespace.name, subjects)]


def _binding(name: str, namespace: str, subjects: list[dict[str, str]]) -> Document:
    return a(
        _RBAC_VERSION,
        "RoleBinding",
        name,
        namespace,
        roleRef={"apiGroup": _RBAC, "kind": "Role", "name": name},
        subjects=subjects,
    )


def _quota(tenant: Tenant, namespace: Namespace, offered: Iterable[str]) -> Document:
    """Cards, shares and slices by their requests; a resource that the namespace is not given is set to zero."""
    known = dict.fromkeys((resources.GPU, *offered, *namespace.quota))
    amounts = {resource: limit(tenant, namespace, resource) for resource in known}
    hard = {resources.quota_key(resource): str(amount) for resource, amount in sorted(amounts.items())}
    spec: Document = {"hard": {**hard, "pods": str(namespace.max_pods)}}
    return a("v1", "ResourceQuota", names.quota(namespace.name), namespace.name, spec=spec)


def _limit_range(namespace: Namespace) -> Document:
    memory = f"{namespace.default_memory_mib}Mi"
    container: Document = {
        "type": "Container",
        "default": {"memory": memory},
        "defaultRequest": {"cpu": f"{namespace.default_cpu_millis}m", "memory": memory},
    }
    return a("v1", "LimitRange", "defaults", namespace.name, spec={"limits": [container]})
