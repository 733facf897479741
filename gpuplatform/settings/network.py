"""The network: a new VPC over named zones, or an existing VPC by its ids."""

from __future__ import annotations

import enum
from typing import Annotated

from pydantic import BeforeValidator, Field

from gpuplatform.settings.model import Cidr, Model


class Nat(enum.StrEnum):
    """How private subnets reach the internet."""

    SINGLE = "single"  # one gateway: cheaper, but all zones lose the internet when its zone fails
    PER_ZONE = "per-zone"  # one gateway in each zone


EndpointService = Annotated[str, Field(pattern=r"^[a-z0-9]+([.-][a-z0-9]+)*$")]
"""The last part of an AWS service's name, such as ecr.api in com.amazonaws.us-east-1.ecr.api."""


def endpoint_name(service: str) -> str:
    """The service in the name of its endpoint's resource: `ecr-api` for `ecr.api`."""
    return service.replace(".", "-")


class Zone(Model):
    """An availability zone. Its letter may differ from account to account; its id does not."""

    name: str
    id: Annotated[str, Field(pattern=r"^[a-z]+\d-az\d+$")] | None = None
    """The id, such as use1-az4. With it, `check` can tell whether EKS makes control planes in the zone."""


def _zone(raw: object) -> object:
    return Zone(name=raw) if isinstance(raw, str) else raw


ZoneChoice = Annotated[Zone, BeforeValidator(_zone, json_schema_input_type=str | Zone)]
"""A zone by its name, or by name and id."""


class NewNetwork(Model):
    """A VPC made by this stack."""

    cidr: Cidr
    """The VPC's addresses, /16 to /20."""
    zones: Annotated[tuple[ZoneChoice, ...], Field(min_length=2, max_length=4)]
    """Availability zones by name, or by name and id. They are never looked up, so a preview needs no account."""
    nat: Nat = Nat.SINGLE
    pod_cidr: Cidr | None = None
    """A secondary network for pods, such as 100.64.0.0/16; none by default."""
    interface_endpoints: tuple[EndpointService, ...] = (
        "ec2",
        "ecr.api",
        "ecr.dkr",
        "sts",
        "ssm",
        "sqs",
        "eks",
        "eks-auth",
        "logs",
    )
    """AWS services that are reached inside the VPC. S3 always has a gateway endpoint in addition."""


MAX_SUBNETS = 30
"""Most subnets of an EC2NodeClass (aws/karpenter-provider-aws v1.14.1, pkg/apis/v1/ec2nodeclass.go)."""


class ExistingSubnet(Model):
    """A subnet that exists already."""

    id: Annotated[str, Field(pattern=r"^subnet-[0-9a-f]{8,17}$")]
    zone: ZoneChoice
    """The subnet's zone by name, or by name and id."""


class ExistingNetwork(Model):
    """A VPC that is managed elsewhere. This stack changes nothing in it; several clusters may share one."""

    vpc_id: Annotated[str, Field(pattern=r"^vpc-[0-9a-f]{8,17}$")]
    private_subnets: Annotated[tuple[ExistingSubnet, ...], Field(min_length=2, max_length=MAX_SUBNETS)]
    """The subnets of the nodes, each listed once."""


class Network(Model):
    """Exactly one of `new` and `existing`."""

    new: NewNetwork | None = None
    existing: ExistingNetwork | None = None

    @property
    def zones(self) -> tuple[str, ...]:
        """The names of the zones that nodes may be in."""
        if self.new is not None:
            return tuple(zone.name for zone in self.new.zones)
        if self.existing is not None:
            return tuple(dict.fromkeys(subnet.zone.name for subnet in self.existing.private_subnets))
        return ()
