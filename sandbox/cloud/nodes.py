"""The nodes of managed node groups on the sandbox's API server, in place of EKS and its Auto Scaling groups.

kwok plays their kubelets. Labels, taints, instance type and zone of a node come from the group's inputs, its
allocatable resources from the catalog.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import yaml

from gpuplatform.catalog.instance_types import InstanceType, instance_type
from gpuplatform.standard import keys
from sandbox.cloud.api import Api, ObjectPath
from sandbox.cloud.input_validation import RefusedError
from sandbox.cloud.references import at_path
from sandbox.cloud.store import Entry, Plain, Properties, Store
from sandbox.control_plane.controllers import KWOK_NODE
from sandbox.offerings import allocatable_of, capacity_of

NODE_GROUP = "aws:eks/nodeGroup:NodeGroup"
_SUBNET = "aws:ec2/subnet:Subnet"
_MANAGER = "eks"
"""On every node of a managed node group (EKS user guide, Managed node group capacity types, read 2026-11-22)."""
_EFFECTS = {
    "NO_SCHEDULE": "NoSchedule",
    "NO_EXECUTE": "NoExecute",
    "PREFER_NO_SCHEDULE": "PreferNoSchedule",
}
"""A taint's effect as EKS writes it (EKS API reference, Taint), and as Kubernetes does."""
_OF_A_MACHINE = ("amiType", "launchTemplate", "releaseVersion", "version", "diskSize")
"""Inputs of a group whose change makes new machines."""
_NAME_LENGTH = 54
"""A node's name begins with so many characters of its group's name, and is a label value of at most 63 characters."""
_READY_SECONDS = 360.0
_GONE_SECONDS = 300.0


@dataclass(frozen=True, slots=True)
class NodeGroups:
    """The managed node groups of one cluster."""

    world: Store
    api: Api
    region: str
    stack_file: Path

    def make(self, group: Entry) -> None:
        """Make a group's nodes and wait until they are ready; then drain and delete those of an earlier version."""
        nodes = node_documents(group, self._zones(group), self.region)
        for node in nodes:
            self.api.put(node, _MANAGER)
        places = [self.api.place(node) for node in nodes]
        if not self.api.wait(lambda: all(self._ready(place) for place in places), _READY_SECONDS):
            name = group.outputs["nodeGroupName"]
            raise RefusedError(
                f"NodeCreationFailure: instances of the node group {name} failed to join the cluster: kwok does not"
                " make them ready"
            )
        self._drain(place for place in self._nodes(group) if place not in places)

    def remove(self, group: Entry) -> None:
        """Drain a group's nodes and delete them."""
        self._drain(self._nodes(group))

    def _zones(self, group: Entry) -> list[str]:
        zone_by_subnet = zones_of_given_subnets(self.stack_file)
        return [self._zone(str(subnet), zone_by_subnet) for subnet in at_path(group.inputs, "subnetIds")]

    def _zone(self, subnet: str, zone_by_subnet: Mapping[str, str]) -> str:
        made = self.world.find(_SUBNET, subnet)
        zone = zone_by_subnet.get(subnet) if made is None else made.inputs.get("availabilityZone")
        if zone is None:
            raise RefusedError(f"the sandbox does not know the zone of the subnet {subnet}")
        return str(zone)

    def _nodes(self, group: Entry) -> list[ObjectPath]:
        selector = f"{keys.NODE_GROUP}={group.outputs['nodeGroupName']}"
        nodes = self.api.items("/api/v1/nodes", labelSelector=selector)
        return [ObjectPath(f"/api/v1/nodes/{cast(Properties, node['metadata'])['name']}") for node in nodes]

    def _ready(self, place: ObjectPath) -> bool:
        conditions = at_path(self.api.read(place), "status.conditions")
        return any(
            isinstance(condition, dict) and (condition["type"], condition["status"]) == ("Ready", "True")
            for condition in conditions
        )

    def _drain(self, nodes: Iterator[ObjectPath] | list[ObjectPath]) -> None:
        """Cordon all nodes, evict their pods, and delete the nodes."""
        places = list(nodes)
        for place in places:
            self.api.merge(place, {"spec": {"unschedulable": True}})
        for place in places:
            for pod in self._pods(place):
                if not _of_daemon_set(pod):
                    self.api.remove(self.api.place(_named(pod)))
            if not self.api.wait(lambda place=place: all(map(_of_daemon_set, self._pods(place))), _GONE_SECONDS):
                raise RefusedError(f"PodEvictionFailure: pods of {place.path} are not gone after {_GONE_SECONDS:g} s")
            self.api.delete(place, _GONE_SECONDS)
            for pod in self._pods(place):  # pods of DaemonSets, which are not made again once the node is gone
                self.api.remove(self.api.place(_named(pod)), gracePeriodSeconds=0)

    def _pods(self, node: ObjectPath) -> list[Properties]:
        return self.api.items("/api/v1/pods", fieldSelector=f"spec.nodeName={node.path.rpartition('/')[2]}")


def node_documents(group: Entry, zones: list[str], region: str) -> list[Properties]:
    """A group's nodes, spread over the zones of its subnets."""
    first = next(at_path(group.inputs, "instanceTypes"), None)  # this EC2 always has capacity of the first type
    machine = instance_type(str(first))
    if machine is None:
        raise RefusedError(f"the sandbox has no instance type {first}: it is not in the catalog")
    scaling = cast(Mapping[str, int], group.inputs["scalingConfig"])
    return [_node(group, machine, zones[index % len(zones)], region, index) for index in range(scaling["desiredSize"])]


def _node(group: Entry, machine: InstanceType, zone: str, region: str, index: int) -> Properties:
    digits = _digits(group, index)
    name = f"{str(group.outputs['nodeGroupName'])[:_NAME_LENGTH].rstrip('-')}-{digits[:8]}"
    labels: Properties = {
        **cast(Properties, group.inputs.get("labels") or {}),
        keys.ARCHITECTURE: machine.architecture,
        keys.HOSTNAME: name,
        keys.INSTANCE_TYPE: machine.name,
        keys.NODE_GROUP: group.outputs["nodeGroupName"],
        keys.OPERATING_SYSTEM: "linux",
        keys.REGION: region,
        keys.ZONE: zone,
        keys.NODE_GROUP_MARKET: group.inputs.get("capacityType") or "ON_DEMAND",
    }
    taints: list[Plain] = [
        {"key": taint["key"], "value": taint.get("value") or "", "effect": _EFFECTS[str(taint["effect"])]}
        for taint in cast(list[Properties], group.inputs.get("taints") or [])
    ]
    capacity = capacity_of(machine)
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": labels, "annotations": {KWOK_NODE: "fake"}},
        "spec": {"providerID": f"aws:///{zone}/i-{digits[:17]}", "taints": taints},
        "status": {
            "capacity": cast(Properties, capacity),
            "allocatable": cast(Properties, {**capacity, **allocatable_of(machine)}),
        },
    }


def _digits(group: Entry, index: int) -> str:
    """A digest that names a machine; a new version of a group, or a new group of the same name, has other machines."""
    machine = json.dumps({key: group.inputs.get(key) for key in _OF_A_MACHINE}, sort_keys=True)
    return hashlib.sha256(f"{group.outputs['arn']}#{machine}#{index}".encode()).hexdigest()


def zones_of_given_subnets(stack_file: Path) -> dict[str, str]:
    """The zone of each existing subnet in the stack's settings."""
    return dict(_subnets(yaml.safe_load(stack_file.read_text(encoding="utf-8"))))


def _subnets(value: object) -> Iterator[tuple[str, str]]:
    if isinstance(value, list):
        for item in cast(list[object], value):
            yield from _subnets(item)
    elif isinstance(value, dict):
        mapping = cast(dict[str, object], value)
        if "id" in mapping and "zone" in mapping:
            zone = mapping["zone"]
            name = cast(dict[str, object], zone)["name"] if isinstance(zone, dict) else zone
            yield str(mapping["id"]), str(name)
        for item in mapping.values():
            yield from _subnets(item)


def _of_daemon_set(pod: Properties) -> bool:
    return "DaemonSet" in at_path(pod, "metadata.ownerReferences.kind")


def _named(pod: Properties) -> Properties:
    """The pod with its kind, which the items of a list lack."""
    return {"apiVersion": "v1", "kind": "Pod", "metadata": pod["metadata"]}
