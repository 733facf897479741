"""Network: a new VPC over the named zones, or an existing one, which stays unchanged."""

from __future__ import annotations

from dataclasses import dataclass

import pulumi
from pulumi_aws.ec2 import (
    Eip,
    InternetGateway,
    NatGateway,
    Route,
    RouteTable,
    RouteTableAssociation,
    SecurityGroup,
    Subnet,
    Vpc,
    VpcEndpoint,
    VpcIpv4CidrBlockAssociation,
)
from pulumi_aws.vpc import SecurityGroupIngressRule

from components.handles import NetworkHandle
from gpuplatform.plan.subnets import ZoneSubnets, subnets
from gpuplatform.render.node_classes import discovery_tags
from gpuplatform.settings.network import ExistingNetwork, Nat, NewNetwork, endpoint_name
from gpuplatform.settings.network import Network as NetworkSettings
from gpuplatform.standard import keys

_INTERNET = "0.0.0.0/0"
_HTTPS = 443
_INTERNAL_LOAD_BALANCER = {keys.INTERNAL_LOAD_BALANCER: "1"}
_PUBLIC_LOAD_BALANCER = {keys.PUBLIC_LOAD_BALANCER: "1"}


@dataclass(frozen=True, kw_only=True, slots=True)
class NetworkArgs:
    """The inputs of Network."""

    network: NetworkSettings
    cluster: str
    """The cluster's name, in the discovery tag."""
    region: str


class Network(pulumi.ComponentResource):
    """The network of a cluster.

    - new: a VPC, a private and a public subnet in each zone, NAT, and endpoints for the AWS services that nodes use
    - existing: nothing is created; the settings name its subnets by id
    """

    handle: NetworkHandle

    def __init__(self, name: str, args: NetworkArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("gpu-platform:index:Network", name, None, opts)
        self._name, self._args = name, args
        self._child = pulumi.ResourceOptions(parent=self)
        if args.network.new is not None:
            self.handle = self._create(args.network.new)
        elif args.network.existing is not None:
            self.handle = _existing(args.network.existing)
        else:
            raise AssertionError("settings hold exactly one of new and existing")
        self.register_outputs(
            {"vpc_id": self.handle.vpc_id, "private_subnet_ids": list(self.handle.private_subnet_ids)}
        )

    def _tags(self, suffix: str, more: dict[str, str] | None = None) -> dict[str, str]:
        return {"Name": f"{self._args.cluster}-{suffix}", **(more or {})}

    def _create(self, new: NewNetwork) -> NetworkHandle:
        vpc = Vpc(
            f"{self._name}-vpc",
            cidr_block=new.cidr,
            enable_dns_hostnames=True,
            enable_dns_support=True,
            tags=self._tags("vpc"),
            opts=self._child,
        )
        gateway = InternetGateway(
            f"{self._name}-internet", vpc_id=vpc.id, tags=self._tags("internet"), opts=self._child
        )
        zones = subnets(new.cidr, self._args.network.zones, new.pod_cidr)
        public = self._public(vpc, gateway, zones)
        gateways = self._nat(new.nat, public, gateway)
        secondary = (
            VpcIpv4CidrBlockAssociation(f"{self._name}-pods", vpc_id=vpc.id, cidr_block=new.pod_cidr, opts=self._child)
            if new.pod_cidr
            else None
        )
        private: list[Subnet] = []
        tables: list[RouteTable] = []
        for zone in zones:
            table = self._private_routes(vpc, zone.zone, gateways.get(zone.zone) or next(iter(gateways.values())))
            private.append(self._private(vpc, zone, table))
            if zone.pods is not None and secondary is not None:
                self._pods(vpc, zone, zone.pods, table, secondary)
            tables.append(table)
        self._s3_endpoint(vpc, tables)
        if new.interface_endpoints:
            self._interface_endpoints(vpc, new, private)
        ids = tuple(subnet.id for subnet in private)
        return NetworkHandle(vpc.id, ids, {zone.zone: subnet_id for zone, subnet_id in zip(zones, ids, strict=True)})

    def _public(self, vpc: Vpc, gateway: InternetGateway, zones: tuple[ZoneSubnets, ...]) -> dict[str, Subnet]:
        table = RouteTable(f"{self._name}-public", vpc_id=vpc.id, tags=self._tags("public"), opts=self._child)
        Route(
            f"{self._name}-public-internet",
            route_table_id=table.id,
            destination_cidr_block=_INTERNET,
            gateway_id=gateway.id,
            opts=self._child,
        )
        made: dict[str, Subnet] = {}
        for zone in zones:
            made[zone.zone] = Subnet(
                f"{self._name}-public-{zone.zone}",
                vpc_id=vpc.id,
                availability_zone=zone.zone,
                cidr_block=zone.public,
                map_public_ip_on_launch=False,
                tags=self._tags(f"public-{zone.zone}", _PUBLIC_LOAD_BALANCER),
                opts=self._child,
            )
            self._associate(f"public-{zone.zone}", made[zone.zone], table)
        return made

    def _nat(self, nat: Nat, public: dict[str, Subnet], internet: InternetGateway) -> dict[str, NatGateway]:
        """One gateway for all, or one for each zone."""
        zones = list(public) if nat is Nat.PER_ZONE else list(public)[:1]
        # No input names the internet gateway, and AWS refuses a NAT gateway before it is attached: Gateway.NotAttached
        # (hashicorp/terraform-provider-aws#709); a destroy cannot detach it while an address is mapped.
        after_internet = pulumi.ResourceOptions(parent=self, depends_on=[internet])
        gateways: dict[str, NatGateway] = {}
        for zone in zones:
            address = Eip(f"{self._name}-nat-{zone}", domain="vpc", tags=self._tags(f"nat-{zone}"), opts=after_internet)
            gateways[zone] = NatGateway(
                f"{self._name}-nat-{zone}",
                allocation_id=address.id,
                subnet_id=public[zone].id,
                tags=self._tags(f"nat-{zone}"),
                opts=after_internet,
            )
        return gateways

    def _private_routes(self, vpc: Vpc, zone: str, gateway: NatGateway) -> RouteTable:
        table = RouteTable(
            f"{self._name}-private-{zone}", vpc_id=vpc.id, tags=self._tags(f"private-{zone}"), opts=self._child
        )
        Route(
            f"{self._name}-private-{zone}-nat",
            route_table_id=table.id,
            destination_cidr_block=_INTERNET,
            nat_gateway_id=gateway.id,
            opts=self._child,
        )
        return table

    def _private(self, vpc: Vpc, zone: ZoneSubnets, table: RouteTable) -> Subnet:
        subnet = Subnet(
            f"{self._name}-private-{zone.zone}",
            vpc_id=vpc.id,
            availability_zone=zone.zone,
            cidr_block=zone.private,
            tags=self._tags(f"private-{zone.zone}", {**_INTERNAL_LOAD_BALANCER, **discovery_tags(self._args.cluster)}),
            opts=self._child,
        )
        self._associate(f"private-{zone.zone}", subnet, table)
        return subnet

    def _pods(
        self, vpc: Vpc, zone: ZoneSubnets, cidr: str, table: RouteTable, secondary: VpcIpv4CidrBlockAssociation
    ) -> None:
        subnet = Subnet(
            f"{self._name}-pods-{zone.zone}",
            vpc_id=vpc.id,
            availability_zone=zone.zone,
            cidr_block=cidr,
            # The CNI finds subnets for pods by this tag.
            tags=self._tags(f"pods-{zone.zone}", {keys.POD_SUBNET: "1"}),
            opts=pulumi.ResourceOptions(parent=self, depends_on=[secondary]),
        )
        self._associate(f"pods-{zone.zone}", subnet, table)

    def _associate(self, suffix: str, subnet: Subnet, table: RouteTable) -> None:
        RouteTableAssociation(f"{self._name}-{suffix}", subnet_id=subnet.id, route_table_id=table.id, opts=self._child)

    def _s3_endpoint(self, vpc: Vpc, tables: list[RouteTable]) -> None:
        VpcEndpoint(
            f"{self._name}-s3",
            vpc_id=vpc.id,
            service_name=self._service("s3"),
            vpc_endpoint_type="Gateway",
            route_table_ids=[table.id for table in tables],
            tags=self._tags("s3"),
            opts=self._child,
        )

    def _interface_endpoints(self, vpc: Vpc, new: NewNetwork, private: list[Subnet]) -> None:
        group = self._https_from_the_network(vpc, new)
        for interface_endpoint in new.interface_endpoints:
            VpcEndpoint(
                f"{self._name}-{endpoint_name(interface_endpoint)}",
                vpc_id=vpc.id,
                service_name=self._service(interface_endpoint),
                vpc_endpoint_type="Interface",
                private_dns_enabled=True,
                subnet_ids=[subnet.id for subnet in private],
                security_group_ids=[group.id],
                tags=self._tags(interface_endpoint),
                opts=self._child,
            )

    def _https_from_the_network(self, vpc: Vpc, new: NewNetwork) -> SecurityGroup:
        """The security group of the interface endpoints."""
        group = SecurityGroup(
            f"{self._name}-endpoints",
            vpc_id=vpc.id,
            description="HTTPS from the network to AWS services",
            tags=self._tags("endpoints"),
            opts=self._child,
        )
        # A pod's packets keep the pod's address to any network of its VPC (aws/amazon-vpc-cni-k8s v1.22.3,
        # pkg/networkutils/network.go, buildIptablesSNATRules), so that endpoints see the pods' network too.
        networks = {"https": new.cidr, **({"https-pods": new.pod_cidr} if new.pod_cidr else {})}
        for suffix, cidr in networks.items():
            SecurityGroupIngressRule(
                f"{self._name}-endpoints-{suffix}",
                security_group_id=group.id,
                ip_protocol="tcp",
                from_port=_HTTPS,
                to_port=_HTTPS,
                cidr_ipv4=cidr,
                opts=self._child,
            )
        return group

    def _service(self, name: str) -> str:
        """An AWS service of the region, as endpoints name it."""
        return f"com.amazonaws.{self._args.region}.{name}"


def _existing(existing: ExistingNetwork) -> NetworkHandle:
    private = existing.private_subnets
    return NetworkHandle(
        existing.vpc_id,
        tuple(subnet.id for subnet in private),
        {subnet.zone.name: subnet.id for subnet in reversed(private)},  # the first of each zone
    )
