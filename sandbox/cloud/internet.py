"""AWS's rules about a VPC's internet gateway, which no input of the resources behind it names."""

from __future__ import annotations

from sandbox.cloud.store import Entry, Properties, Store

INTERNET_GATEWAY = "aws:ec2/internetGateway:InternetGateway"
_NAT, _SUBNET = "aws:ec2/natGateway:NatGateway", "aws:ec2/subnet:Subnet"


def not_attached(world: Store, token: str, inputs: Properties) -> str | None:
    """AWS's refusal of a public NAT gateway in a VPC without an internet gateway (EC2 API reference, error codes)."""
    vpc = _vpc(world, inputs) if token == _NAT else None
    if vpc is None or vpc in [gateway.inputs.get("vpcId") for gateway in world.of_kind(INTERNET_GATEWAY)]:
        return None
    return f"Gateway.NotAttached: Network {vpc} has no Internet gateway attached"


def behind(world: Store, gateway: Entry) -> tuple[Entry, ...]:
    """The NAT gateways that prevent an internet gateway from being detached."""
    vpc = gateway.inputs.get("vpcId")
    return tuple(nat for nat in world.of_kind(_NAT) if vpc is not None and _vpc(world, nat.inputs) == vpc)


def _vpc(world: Store, inputs: Properties) -> str | None:
    """The VPC of a public NAT gateway; None for a private one, or where the stack did not make the subnet."""
    is_private = inputs.get("connectivityType") == "private"
    subnet = None if is_private else world.find(_SUBNET, str(inputs.get("subnetId")))
    return None if subnet is None else str(subnet.inputs["vpcId"])
