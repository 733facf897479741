"""Checks of the network: exactly one kind, each endpoint once, address ranges that fit, zones of the region."""

from __future__ import annotations

import difflib
import ipaddress
import itertools
import string
from collections.abc import Sequence

from gpuplatform.faults import Fault, warning
from gpuplatform.settings.network import ExistingNetwork, Network, NewNetwork, Zone, endpoint_name
from gpuplatform.settings.partial import PartialSettings
from gpuplatform.standard.zones import WITHOUT_CONTROL_PLANE, zone_id_prefix

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
PrivateLink). The list is not complete, so another name gives only a warning."""
_GATEWAY_SERVICE = "s3"
"""Every new network has a gateway endpoint for this service in its route tables."""


def check_network(settings: PartialSettings) -> list[Fault]:
    """Faults of the network, also in relation to the cluster's Services."""
    network = settings.network
    if network is None:
        return []
    faults: list[Fault] = []
    removed = settings.lacks("network.new") or settings.lacks("network.existing")
    if (network.new is None) == (network.existing is None) and (network.new is not None or not removed):
        kinds, change = ("neither", "give one of them") if network.new is None else ("both", "keep one of them")
        faults.append(Fault("network", kinds, "exactly one of new and existing", change))
    if network.new:
        faults += _new(network.new, settings)
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
    repeated = [names for name, names in spellings.items() if len(names) > 1 and name != _GATEWAY_SERVICE]
    unknown_services = (
        {service for (service, *others) in spellings.values() if not others} - ENDPOINT_SERVICES - {_GATEWAY_SERVICE}
    )
    faults = [Fault(path, _twice(names), "each service once", "remove one") for names in repeated]
    if _GATEWAY_SERVICE in services:
        allowed = "services other than S3, which always has a gateway endpoint"
        faults.append(Fault(path, _GATEWAY_SERVICE, allowed, f"remove {_GATEWAY_SERVICE}"))
    return [
        *faults,
        *(
            warning(
                path,
                f"{service}, which this platform does not know",
                "a service with an interface endpoint: AWS refuses others when the network is made",
                _suggestion(service),
            )
            for service in sorted(unknown_services)
        ),
    ]


def _twice(spellings: list[str]) -> str:
    """A text for one service that is named more than once, in one spelling or in several."""
    different = list(dict.fromkeys(spellings))
    return (
        f"{different[0]} twice" if len(different) == 1 else f"{' and '.join(different)}, which name the same endpoint"
    )


def _suggestion(service: str) -> str:
    suggestions = difflib.get_close_matches(service, sorted(ENDPOINT_SERVICES), n=1)
    return f"write {suggestions[0]}, if you mean it" if suggestions else "make sure that AWS has it in this region"


def _new(network: NewNetwork, settings: PartialSettings) -> list[Fault]:
    faults = _endpoints(network)
    ranges = {"network.new.cidr": network.cidr}
    if network.pod_cidr:
        ranges["network.new.pod_cidr"] = network.pod_cidr
    for path, cidr in ranges.items():
        prefix = ipaddress.IPv4Network(cidr).prefixlen
        if not LARGEST_PREFIX <= prefix <= SMALLEST_PREFIX:
            allowed = f"/{LARGEST_PREFIX} to /{SMALLEST_PREFIX}"
            faults.append(Fault(path, cidr, allowed, "choose a network of that size"))
    if settings.cluster:
        ranges["cluster.service_cidr"] = settings.cluster.service_cidr
    for (path, cidr), (other_path, other_cidr) in itertools.combinations(ranges.items(), 2):
        if ipaddress.IPv4Network(cidr).overlaps(ipaddress.IPv4Network(other_cidr)):
            allowed = f"a network that does not overlap {path} ({cidr})"
            faults.append(Fault(other_path, other_cidr, allowed, "change one of them"))
    return faults


_LOOK = "aws ec2 describe-availability-zones"


def check_zones(settings: PartialSettings) -> list[Fault]:
    """Faults of the zones that the network names."""
    network = settings.network
    if network is None:
        return []
    path, zones = _named(network)
    repeated = sorted({zone.name for zone in zones if [zone.name for zone in zones].count(zone.name) > 1})
    faults = [Fault(path, f"{zone} twice", "each zone once", "remove one") for zone in repeated if network.new]
    faults += _ids(path, zones)
    if settings.region:
        faults += _of_region(path, zones, settings.region)
        if not settings.lacks(path):
            faults += _without_ids(path, zones, settings.region)
    return faults


def _named(network: Network) -> tuple[str, Sequence[Zone]]:
    if network.new is not None:
        return "network.new.zones", network.new.zones
    subnets = network.existing.private_subnets if network.existing else ()
    return "network.existing.private_subnets", tuple(dict.fromkeys(subnet.zone for subnet in subnets))


def _ids(path: str, zones: Sequence[Zone]) -> list[Fault]:
    """Faults of zones with several ids, and of ids with several zones."""
    names: dict[str, list[str]] = {}
    ids: dict[str, list[str]] = {}
    for zone in dict.fromkeys(zone for zone in zones if zone.id is not None):
        names.setdefault(str(zone.id), []).append(zone.name)
        ids.setdefault(zone.name, []).append(str(zone.id))
    same_id = [
        f"{' and '.join(zone_names)}, both {id_}" for id_, zone_names in names.items() if len(set(zone_names)) > 1
    ]
    same_zone = [f"{name}, both {' and '.join(zone_ids)}" for name, zone_ids in ids.items() if len(zone_ids) > 1]
    allowed = "one id for each zone, and one zone for each id"
    return [Fault(path, conflict, allowed, f"look the ids up: {_LOOK}") for conflict in (*same_id, *same_zone)]


def _of_region(path: str, zones: Sequence[Zone], region: str) -> list[Fault]:
    prefix, closed = zone_id_prefix(region), WITHOUT_CONTROL_PLANE.get(region)
    elsewhere = [
        name
        for name in dict.fromkeys(zone.name for zone in zones)
        if name != f"{region}{name[-1:]}" or name[-1:] not in string.ascii_lowercase
    ]
    faults = [Fault(path, name, f"zones of {region}", f"name a zone such as {region}a") for name in elsewhere]
    for zone in dict.fromkeys(zone for zone in zones if zone.name not in elsewhere):
        if zone.id is None:
            continue
        zone_text = f"{zone.name} with the id {zone.id}"
        if prefix is not None and not zone.id.startswith(prefix):
            faults.append(Fault(path, zone_text, f"ids of {region}, which begin with {prefix}", f"look it up: {_LOOK}"))
        if zone.id == closed:
            allowed = f"zones in which EKS makes control planes (EKS user guide, network requirements): not {closed}"
            faults.append(Fault(path, zone_text, allowed, "choose another zone"))
    return faults


def _without_ids(path: str, zones: Sequence[Zone], region: str) -> list[Fault]:
    closed = WITHOUT_CONTROL_PLANE.get(region)
    with_id = {zone.name for zone in zones if zone.id is not None}
    names = list(dict.fromkeys(zone.name for zone in zones if zone.name not in with_id))
    if closed is None or not names:
        return []
    return [
        warning(
            path,
            f"{', '.join(names)} without an id",
            f"each zone with its id: the letter of {closed}, where EKS makes no control plane, differs by account",
            f"write {{name: {names[0]}, id: …}} as {_LOOK} --region {region} says",
        )
    ]
