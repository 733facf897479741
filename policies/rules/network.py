"""Network: nodes have no public address, and nothing is open to the world."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable

from gpuplatform.faults import Fault
from gpuplatform.standard import keys
from policies.cel import CLOUD, NotInCluster
from policies.rule import Rule, Severity
from policies.subject import UNKNOWN, Kind, Subject, at, quoted, text

SUBNET = Kind("", "aws:ec2/subnet:Subnet")
INGRESS_RULE = Kind("", "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule")
SERVICE = Kind("", "Service")
INGRESS = Kind("networking.k8s.io", "Ingress")

_WIDEST_PREFIX = {4: 8, 6: 19}
"""Bits: no organisation gets a wider address block than these, so a wider block does not name one."""
_SERVICE_SCHEME = keys.SERVICE_SCHEME
_INGRESS_SCHEME = keys.INGRESS_SCHEME
"""Annotations of the AWS Load Balancer Controller (kubernetes-sigs/aws-load-balancer-controller v2, guide/service and
guide/ingress); without the controller a Service's load balancer is public by itself."""
_SERVICE_INTERNAL = keys.SERVICE_INTERNAL
"""The annotation before the scheme, still read where there is no scheme."""
_SERVICE_CLASSES = (None, "", "service.k8s.aws/nlb", "eks.amazonaws.com/nlb")
_INGRESS_CLASSES = (None, "", "alb")
"""Classes of AWS load balancers: the controller's, EKS's own, and what a cluster's default may be."""
_INGRESS_CLASS = keys.INGRESS_CLASS
_INTERNAL = "internal"


def has_one_owner(cidr: str) -> bool:
    """Whether one organisation can have the whole network."""
    try:
        network = ipaddress.ip_network(cidr)
    except ValueError:
        return False
    return network.prefixlen >= _WIDEST_PREFIX[network.version]


def _public_addresses(subject: Subject) -> Iterable[Fault]:
    value = at(subject.body, "mapPublicIpOnLaunch")
    if value in (None, False, UNKNOWN):
        return []
    return [Fault("mapPublicIpOnLaunch", quoted(value), "false: a node has no public address", "set it to false")]


def _open_networks(subject: Subject) -> Iterable[Fault]:
    return [
        Fault(field, quoted(network), "a network of your own, by address", "name the network that needs access")
        for field in ("cidrIpv4", "cidrIpv6")
        if isinstance(network := text(at(subject.body, field)), str) and not has_one_owner(network)
    ]


def _public_load_balancers(subject: Subject) -> Iterable[Fault]:
    if not _is_of_aws(subject):
        return []
    key = _SERVICE_SCHEME if subject.is_a(SERVICE) else _INGRESS_SCHEME
    scheme = at(subject.body, "metadata", "annotations", key)
    internal = at(subject.body, "metadata", "annotations", _SERVICE_INTERNAL) if subject.is_a(SERVICE) else None
    if scheme in (_INTERNAL, UNKNOWN) or (scheme is None and internal in ("true", UNKNOWN)):
        return []
    allowed = f"{_INTERNAL}: the platform's settings open no load balancer to the world"
    return [Fault(f"metadata.annotations[{key}]", quoted(scheme), allowed, f"annotate it with {key}: {_INTERNAL}")]


def _is_of_aws(subject: Subject) -> bool:
    """Whether it makes a load balancer of AWS, as far as its class tells."""
    if subject.is_a(SERVICE):
        is_load_balancer = at(subject.body, "spec", "type") == "LoadBalancer"
        return is_load_balancer and at(subject.body, "spec", "loadBalancerClass") in _SERVICE_CLASSES
    ingress_class = at(subject.body, "spec", "ingressClassName")
    return (
        at(subject.body, "metadata", "annotations", _INGRESS_CLASS) if ingress_class is None else ingress_class
    ) in _INGRESS_CLASSES


SUBNET_WITHOUT_PUBLIC_ADDRESSES = Rule(
    name="subnet-without-public-addresses",
    description="No subnet gives its instances a public address.",
    severity=Severity.HIGH,
    remediation="Leave mapPublicIpOnLaunch out, or set it to false.",
    kinds=(SUBNET,),
    judge=_public_addresses,
    admission=CLOUD,
)

SECURITY_GROUP_CLOSED = Rule(
    name="security-group-closed",
    description="A security group admits traffic from named networks only.",
    severity=Severity.CRITICAL,
    remediation="Name the network in cidrIpv4 or cidrIpv6, or the security group that may come in.",
    kinds=(INGRESS_RULE,),
    judge=_open_networks,
    admission=CLOUD,
)

LOAD_BALANCER_INTERNAL = Rule(
    name="load-balancer-internal",
    description="A load balancer is internal, and its annotation states that.",
    severity=Severity.HIGH,
    remediation=f"Annotate a Service with {_SERVICE_SCHEME}: internal, an Ingress with {_INGRESS_SCHEME}: internal.",
    kinds=(SERVICE, INGRESS),
    judge=_public_load_balancers,
    admission=NotInCluster(
        "the platform's policies there judge pods, nodes and namespaces; lint reports it to the team"
    ),
)

RULES = (SUBNET_WITHOUT_PUBLIC_ADDRESSES, SECURITY_GROUP_CLOSED, LOAD_BALANCER_INTERNAL)
