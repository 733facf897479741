"""A team's namespaces: access of its people and pods, quota, defaults of containers, and network policies.

Network: all traffic is denied but what the platform allows every namespace and what the settings allow this one.
"""

from __future__ import annotations

from collections.abc import Iterable

from gpuplatform.plan.teams import limit
from gpuplatform.render.document import Document, kubernetes_object
from gpuplatform.settings.tenants import Direction, Namespace, NetworkException, Scheduling, Tenant
from gpuplatform.standard import keys, names, resources

PART_OF = "gpu-platform"
_POD_IDENTITY_AGENT = "169.254.170.23/32"
"""The address from which pods of an IPv4 cluster get AWS credentials, over HTTP (EKS user guide, Pod Identity
restrictions)."""
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
"""Kinds of work that controllers other than Kubernetes' own run; where a controller is not installed, its kind is not
served and the right has no effect."""
_WAITING: Document = {"apiGroups": ["kueue.x-k8s.io"], "resources": ["localqueues", "workloads"], "verbs": _READ}
"""The Workload of queued work says why it waits."""

_SHELL: Document = {"apiGroups": [""], "resources": ["pods/exec"], "verbs": _STREAM}


def namespace_document(tenant: Tenant, namespace: Namespace) -> Document:
    """The namespace with its team, environment and Pod Security level."""
    labels = {
        keys.TEAM: tenant.team,
        keys.ENVIRONMENT: namespace.environment,
        keys.SCHEDULING: namespace.scheduling.value,
        keys.PART_OF: PART_OF,
        keys.POD_SECURITY_ENFORCE: namespace.pod_security.value,
        keys.POD_SECURITY_ENFORCE_VERSION: "latest",
        keys.POD_SECURITY_WARN: "restricted",
    }
    return kubernetes_object("v1", "Namespace", namespace.name, labels=labels)


def namespace_contents(tenant: Tenant, namespace: Namespace, offered: Iterable[str]) -> list[Document]:
    """Every document inside one namespace; ``offered`` are the resources of the stack's pools."""
    return [
        *_service_account(namespace),
        *_team_access(tenant, namespace),
        _quota(tenant, namespace, offered),
        _limit_range(namespace),
        *network_policies(namespace),
    ]


def network_policies(namespace: Namespace) -> list[Document]:
    """Policies that deny all traffic except DNS, pods of the same namespace, HTTPS to anywhere, the credentials for the
    namespace's buckets, and the exceptions of its settings."""
    dns: Document = {
        "to": [{"namespaceSelector": {"matchLabels": {keys.NAMESPACE_NAME: "kube-system"}}}],
        "ports": [{"protocol": protocol, "port": 53} for protocol in ("UDP", "TCP")],
    }
    within: Document = {"podSelector": {}}
    return [
        _policy(namespace, names.DEFAULT_DENY, policyTypes=["Ingress", "Egress"]),
        _allowed(namespace, names.Allowed.DNS, egress=[dns]),
        _allowed(namespace, names.Allowed.SAME_NAMESPACE, ingress=[{"from": [within]}], egress=[{"to": [within]}]),
        _allowed(namespace, names.Allowed.HTTPS, egress=[{"ports": _tcp((443,))}]),
        *(_credentials(namespace) if namespace.buckets else ()),
        *(_exception(namespace, network_exception) for network_exception in namespace.network),
    ]


def _service_account(namespace: Namespace) -> list[Document]:
    """A service account without a token, and a role to read the ConfigMaps and Secrets that the settings name."""
    name, space = namespace.service_account, namespace.name
    account = kubernetes_object("v1", "ServiceAccount", name, space, automountServiceAccountToken=False)
    rules: list[Document] = [
        {"apiGroups": [""], "resources": [kind], "resourceNames": list(readable), "verbs": ["get"]}
        for kind, readable in (("configmaps", namespace.readable_configs), ("secrets", namespace.readable_secrets))
        if readable
    ]
    if not rules:
        return [account]
    subject = {"kind": "ServiceAccount", "name": name, "namespace": space}
    return [
        account,
        kubernetes_object(_RBAC_VERSION, "Role", name, space, rules=rules),
        _binding(name, space, [subject]),
    ]


def _team_access(tenant: Tenant, namespace: Namespace) -> list[Document]:
    """The rights of the team's people: to run workloads, but not to read secrets or change their own limits.

    A shell in pods (``exec``) is allowed where the settings say so.
    """
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
    return [
        kubernetes_object(_RBAC_VERSION, "Role", name, namespace.name, rules=rules),
        _binding(name, namespace.name, subjects),
    ]


def _binding(name: str, namespace: str, subjects: list[dict[str, str]]) -> Document:
    return kubernetes_object(
        _RBAC_VERSION,
        "RoleBinding",
        name,
        namespace,
        roleRef={"apiGroup": _RBAC, "kind": "Role", "name": name},
        subjects=subjects,
    )


def _quota(tenant: Tenant, namespace: Namespace, offered: Iterable[str]) -> Document:
    """Quota of cards, shares and slices, by requests; a resource outside the namespace's quota is set to zero."""
    names_of_resources = dict.fromkeys((resources.GPU, *offered, *namespace.quota))
    amounts = {resource: limit(tenant, namespace, resource) for resource in names_of_resources}
    hard = {resources.quota_key(resource): str(amount) for resource, amount in sorted(amounts.items())}
    spec: Document = {"hard": {**hard, "pods": str(namespace.max_pods)}}
    return kubernetes_object("v1", "ResourceQuota", names.quota(namespace.name), namespace.name, spec=spec)


def _limit_range(namespace: Namespace) -> Document:
    memory = f"{namespace.default_memory_mib}Mi"
    container: Document = {
        "type": "Container",
        "default": {"memory": memory},
        "defaultRequest": {"cpu": f"{namespace.default_cpu_millis}m", "memory": memory},
    }
    return kubernetes_object("v1", "LimitRange", "defaults", namespace.name, spec={"limits": [container]})


def _credentials(namespace: Namespace) -> list[Document]:
    agent: Document = {"to": [{"ipBlock": {"cidr": _POD_IDENTITY_AGENT}}], "ports": _tcp((80,))}
    return [_allowed(namespace, names.Allowed.POD_IDENTITY, egress=[agent])]


def _exception(namespace: Namespace, exception: NetworkException) -> Document:
    other: Document = (
        {"ipBlock": {"cidr": exception.cidr}}
        if exception.cidr
        else {"namespaceSelector": {"matchLabels": {keys.NAMESPACE_NAME: exception.namespace}}}
    )
    ports = _tcp(exception.ports)
    if exception.direction is Direction.IN:
        return _allowed(namespace, exception.name, ingress=[{"from": [other], "ports": ports}])
    return _allowed(namespace, exception.name, egress=[{"to": [other], "ports": ports}])


def _tcp(ports: tuple[int, ...]) -> list[Document]:
    return [{"protocol": "TCP", "port": port} for port in ports]


def _allowed(namespace: Namespace, what: str, **rules: list[Document]) -> Document:
    """A policy that allows more traffic; its types are the directions of its rules."""
    return _policy(namespace, names.allowed(what), policyTypes=[rule.capitalize() for rule in rules], **rules)


def _policy(namespace: Namespace, name: str, **spec: object) -> Document:
    return kubernetes_object(
        "networking.k8s.io/v1", "NetworkPolicy", name, namespace.name, spec={"podSelector": {}, **spec}
    )
