"""The check that system nodes have room for every controller with one node down: replaced by EKS, or lost.

It adds up requests, as the scheduler does, not use. A controller without room stays pending. With both replicas of a
controller gone, nothing answers the API server or launches a node, so a group that is too small is refused.
"""

from __future__ import annotations

from dataclasses import dataclass

from gpuplatform.analysis.system_group.packing import Room, unplaced
from gpuplatform.analysis.system_group.pods import SystemPods
from gpuplatform.catalog.instance_types import InstanceType, instance_types, types_named
from gpuplatform.faults import Fault
from gpuplatform.settings.cluster import MAX_SYSTEM_NODES, SystemNodes


@dataclass(frozen=True, slots=True)
class Load:
    """The requests of controllers, and the room of the system nodes while one of them is down."""

    nodes: int
    instance_types: tuple[str, ...]
    cpu_millis: int
    """The sum over all controllers; ``room`` accounts for the pods of DaemonSets."""
    memory_mib: int
    pods: int
    room: Room
    """The room of each node beside its DaemonSets' pods."""
    unplaced: tuple[str, ...]
    """Controllers with a pod that does not fit."""

    @property
    def hosts(self) -> int:
        """The nodes that remain while one is down."""
        return self.nodes - 1

    def __str__(self) -> str:
        request, remaining_room = (
            _amount(self.cpu_millis, self.memory_mib),
            _amount(self.room.cpu_millis, self.room.memory_mib),
        )
        return (
            f"system nodes: {self.nodes} of {' or '.join(self.instance_types)}; controllers ask for {request} in"
            f" {self.pods} pods; with one node down there is {self.hosts} times {remaining_room}"
        )

    def as_json(self) -> dict[str, object]:
        """The load as plain data."""
        return {
            "nodes": self.nodes,
            "cpu_millis": self.cpu_millis,
            "memory_mib": self.memory_mib,
            "pods": self.pods,
            "room_cpu_millis": self.hosts * self.room.cpu_millis,
            "room_memory_mib": self.hosts * self.room.memory_mib,
            "room_pods": self.hosts * self.room.pods,
        }


def load(group: SystemNodes, pods: SystemPods) -> Load | None:
    """The load of a group; None where the catalog does not know its instance types."""
    nodes = types_named(group.instance_types)
    if len(nodes) < len(group.instance_types):
        return None
    room = Room.of_any(nodes)
    for daemon in pods.daemons:
        room = room.less(daemon)
    return Load(
        nodes=group.nodes,
        instance_types=group.instance_types,
        cpu_millis=sum(controller.cpu_millis * controller.replicas for controller in pods.controllers),
        memory_mib=sum(controller.memory_mib * controller.replicas for controller in pods.controllers),
        pods=sum(controller.replicas for controller in pods.controllers),
        room=room,
        unplaced=unplaced(pods.controllers, room, group.nodes - 1),
    )


def faults(group: SystemNodes, pods: SystemPods) -> list[Fault]:
    """A fault for a group without room for its controllers while one node is down."""
    group_load = load(group, pods)
    if group_load is None or not group_load.unplaced:
        return []
    request = _amount(group_load.cpu_millis, group_load.memory_mib)
    remaining_room = _amount(group_load.room.cpu_millis, group_load.room.memory_mib)
    return [
        Fault(
            "system_nodes",
            f"{group.nodes} nodes of {' or '.join(group.instance_types)}: with one node down there is no room for"
            f" {', '.join(group_load.unplaced)}; controllers ask for {request},"
            f" and there is {group_load.hosts} times {remaining_room}",
            "a group with room for every controller while one of its nodes is replaced or lost",
            _change(group, pods),
        )
    ]


def _change(group: SystemNodes, pods: SystemPods) -> str:
    """The change: the fewest nodes, or the smallest type of the same family, with enough room."""
    counts = (group.model_copy(update={"nodes": nodes}) for nodes in range(group.nodes + 1, MAX_SYSTEM_NODES + 1))
    sizes = (group.model_copy(update={"instance_types": (node.name,)}) for node in _larger(group))
    wider = next((larger for larger in counts if _carries(larger, pods)), None)
    greater = next((larger for larger in sizes if _carries(larger, pods)), None)
    ways = (
        wider and f"raise system_nodes.nodes to {wider.nodes}",
        greater and f"take {greater.instance_types[0]} as system_nodes.instance_types",
    )
    return ", or ".join(way for way in ways if way) or "take a larger instance type"


def _carries(group: SystemNodes, pods: SystemPods) -> bool:
    group_load = load(group, pods)
    return group_load is not None and not group_load.unplaced


def _larger(group: SystemNodes) -> list[InstanceType]:
    """The larger types in the family of the group's first type, smallest first."""
    first = instance_types()[group.instance_types[0]]
    kin = (node for node in instance_types().values() if node.family == first.family and node.vcpus > first.vcpus)
    return sorted(kin, key=lambda node: (node.vcpus, node.memory_mib))


def _amount(cpu_millis: int, memory_mib: int) -> str:
    return f"{cpu_millis / 1000:.2f} vCPU and {memory_mib / 1024:.1f} GiB"
