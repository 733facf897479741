"""The network: exactly one kind, endpoints made once, address ranges that do not overlap and are large enough."""

from __future__ import annotations

import difflib
import ipaddress
import itertools

from gpuplatform.faults import Fault, warning
from gpuplatform.settings.draft import Draft
from gpuplatform.settings.network import ExistingNetwork, NewNetwork, endpoint_name

LARGEST_PREFIX, SMALLEST_PREFIX = 16, 20
"""A VPC is /16 at most (Amazon VPC user guide, VPC CIDR blocks); below /20 a zone gets fewer than 512 addresses."""


# fmt: off
ENDPOINT_SERVICES = frozenset(
    {
        "aps", "aps-workspaces", "autoscaling", "cloudformation", "cloudtrail", "config", "datasync", "ebs", "ec2",
        "ec2messages", "ecr.api", "ecr.dkr", "eks", "eks-auth", "elasticfilesystem", "elasticloadbalancing",
        "events", "fsx", "guardduty-data", "kinesis-firehose", "kms", "lambda", "logs", "monitoring",
        "secretsmanager", "sns", "sqs", "ssm", "ssmmessages", "states", "sts", "xray"
    }
)
# fmt: on
"""Services with an endpoint that a cluster may want (Amazon VPC user guide, AWS services that integrate with AWS
PrivateLink); not all, so that another name is only worth a warning."""
_GATEWAY_SERVICE = "s3"
"""Its endpoint is made for every network, by its route tables."""


def judge(draft: Draft) -> list[Fault]:
    """What is wrong with the network by itself and beside the cluster's Services."""
    network = draft.network
    if network is None:
        return []
    faults: list[Fault] = []
    lost = draft.lacks("network.new") or draft.lacks("network.existing")
    if (network.new is None) == (network.existing is None) and (network.new is not None or not lost):
        given, change = ("neither", "give one of them") if network.new is None else ("both", "keep one of them")
        faults.append(Fault("network", given, "exactly one of new and existing", change))
    if network.new:
        faults += _new(network.new, draft)
    elif network.existing:
        faults += _existing(network.existing, len(network.zones))
    return faults


def _existing(network: ExistingNetwork, zones: int) -> list[Fault]:
    path, subnets = "network.existing.private_subnets", [subnet.id for subnet in network.private_subnets]
    repeated = sorted({subnet for subnet in subnets if subnets.count(subnet) > 1})
    faults = [Fault(path, f"{subnet} twice", "each subnet once", "remove one") for subnet in repeated]
    return faults if zones > 1 else [*faults, Fault(path, "one zone", "two zones at least", "add a subnet")]


def _endpoints(network: NewNetwork) -> list[Fault]:
    path, services = "network.new.interface_endpoints", network.interface_endpoints
    spellings: dict[str, list[str]] = {}
    for service in services:
        spellings.setdefault(endpoint_name(service), []).append(service)
    repeated = [each for name, each in spellings.items() if len(each) > 1 and name != _GATEWAY_SERVICE]
    unknown = {each for (each, *others) in spellings.values() if not others} - ENDPOINT_SERVICES - {_GATEWAY_SERVICE}
    faults = [Fault(path, _twice(each), "each service once", "remove one") for each in repeated]
    if _GATEWAY_SERVICE in services:
        allowed = "services beside S3, which always has a gateway endpoint"
        faults.append(Fault(path, _GATEWAY_SERVICE, allowed, f"remove {_GATEWAY_SERVICE}"))
    return [
        *faults,
        *(
            warning(
                path,
                f"{each}, which this platform does not know",
                "a service with an interface endpoint: AWS refuses any other when the network is made",
                _meant(each),
            )
            for each in sorted(unknown)
        ),
    ]


def _twice(spellings: list[str]) -> str:
    """One service named more than once, in one spelling or in several."""
    different = list(dict.fromkeys(spellings))
    return f"{different[0]} twice" if len(different) == 1 else f"{' and '.join(different)}, which are one name"


def _meant(unknown: str) -> str:
    close = difflib.get_close_matches(unknown, sorted(ENDPOINT_SERVICES), n=1)
    return f"write {close[0]}, if that is meant" if close else "see that AWS has it in this region"


def _new(network: NewNetwork, draft: Draft) -> list[Fault]:
    faults = _endpoints(network)
    ranges = {"network.new.cidr": network.cidr}
    if network.pod_cidr:
        ranges["network.new.pod_cidr"] = network.pod_cidr
    for path, cidr in ranges.items():
        prefix = ipaddress.IPv4Network(cidr).prefixlen
        if not LARGEST_PREFIX <= prefix <= SMALLEST_PREFIX:
            allowed = f"/{LARGEST_PREFIX} to /{SMALLEST_PREFIX}"
            faults.append(Fault(path, cidr, allowed, "choose a network of that size"))
    if draft.cluster:
        ranges["cluster.service_cidr"] = draft.cluster.service_cidr
    for (one, first), (other, second) in itertools.combinations(ranges.items(), 2):
        if ipaddress.IPv4Network(first).overlaps(ipaddress.IPv4Network(second)):
            faults.append(Fault(other, second, f"a network that does not overlap {one} ({first})", "move one of them"))
    return faults
