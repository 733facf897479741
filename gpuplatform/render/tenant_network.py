"""What a namespace may talk to: nothing, but for what a policy names (Q4)."""

from __future__ import annotations

from gpuplatform.render.document import Document, a
from gpuplatform.settings.tenants import Direction, Namespace, NetworkException
from gpuplatform.standard import keys, names

_POD_IDENTITY_AGENT = "169.254.170.23/32"
"""Where pods of an IPv4 cluster get their AWS credentials, over HTTP (EKS user guide, Pod Identity restrictions)."""


def network_policies(namespace: Namespace) -> list[Document]:
    """Nothing in or out, but names resolved, pods of the same namespace, the outside over HTTPS, credentials for its
    buckets, and its own exceptions."""
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
        *(_exception(namespace, each) for each in namespace.network),
    ]


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
    """A policy that adds to what is allowed; its types are those that it has rules for."""
    return _policy(namespace, names.allowed(what), policyTypes=[each.capitalize() for each in rules], **rules)


def _policy(namespace: Namespace, name: str, **spec: object) -> Document:
    return a("networking.k8s.io/v1", "NetworkPolicy", name, namespace.name, spec={"podSelector": {}, **spec})
