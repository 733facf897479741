"""The room of one system node for controllers, and the controllers that do not fit on a number of such nodes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Self

from gpuplatform.analysis.system_group.pods import Controller
from gpuplatform.catalog.instance_types import InstanceType

_ADDRESSES_OF_A_PREFIX = 16
_FEW_VCPUS, _FEW_PODS, _MANY_PODS = 30, 110, 250
"""The most that EKS lets a managed node's kubelet take, below so many vCPUs and from there on (EKS user guide,
nodes/choosing-instance-type, how maxPods is determined, 3a23761)."""
_RESERVED_MIB_OF_A_POD = 11
"""awslabs/amazon-eks-ami tag v20260714, nodeadm/internal/kubelet/config.go, getMemoryMebibytesToReserve."""


@dataclass(frozen=True, slots=True)
class Room:
    """The resources of a node, or the resources that are left."""

    cpu_millis: int
    memory_mib: int
    pods: int

    @classmethod
    def of(cls, node: InstanceType) -> Self:
        """The resources that the kubelet of a managed node gives to pods.

        The catalog's allocatable figures assume one address a pod, but the cluster assigns prefixes of addresses, so a
        node takes more pods. nodeadm reserves memory by the former number of pods unless its configuration has another
        (config.go, withDefaultReservedResources). EKS does not publish its value, so the greater number is reserved.
        """
        by_prefix = _ADDRESSES_OF_A_PREFIX * (node.max_pods - 2) + 2
        pods = min(by_prefix, _FEW_PODS if node.vcpus < _FEW_VCPUS else _MANY_PODS)
        reserved_mib = _RESERVED_MIB_OF_A_POD * max(0, pods - node.max_pods)
        return cls(node.allocatable_cpu_millis, node.allocatable_memory_mib - reserved_mib, pods)

    @classmethod
    def of_any(cls, nodes: Iterable[InstanceType]) -> Self:
        """The least of each resource over these types, because EKS may launch any of them."""
        rooms = [cls.of(node) for node in nodes]
        return cls(
            min(room.cpu_millis for room in rooms),
            min(room.memory_mib for room in rooms),
            min(room.pods for room in rooms),
        )

    def takes(self, pod: Controller) -> bool:
        """Whether one more such pod fits."""
        return self.pods > 0 and pod.cpu_millis <= self.cpu_millis and pod.memory_mib <= self.memory_mib

    def less(self, pods: Controller) -> Self:
        """The room that is left beside these pods; negative where there is too little."""
        return type(self)(
            self.cpu_millis - pods.cpu_millis * pods.replicas,
            self.memory_mib - pods.memory_mib * pods.replicas,
            self.pods - pods.replicas,
        )


@dataclass(slots=True)
class _Host:
    room: Room
    has: Counter[str] = field(default_factory=Counter[str])


def unplaced(controllers: Iterable[Controller], room: Room, hosts: int) -> tuple[str, ...]:
    """The controllers with a pod that does not fit on so many hosts; empty where all fit.

    First fit: controllers whose pods need different hosts come first, then the largest. Volumes that are bound to a
    zone are ignored: their pods wait for a node of that zone, however much room there is elsewhere.
    """
    machines = [_Host(room) for _ in range(hosts)]
    names: list[str] = []
    for controller in sorted(controllers, key=lambda controller: _order(controller, room)):
        most = controller.most_on_a_host(hosts)
        pod = replace(controller, replicas=1)
        # Pods that refuse to share a host wait for another host, however much room there is.
        for _ in range(min(controller.replicas, hosts) if controller.hosts_apart else controller.replicas):
            free = (host for host in machines if host.has[controller.name] < most and host.room.takes(pod))
            host = next(free, None)
            if host is None:
                names.append(controller.name)
                break
            host.has[controller.name] += 1
            host.room = host.room.less(pod)
    return tuple(names)


def _order(controller: Controller, room: Room) -> tuple[bool, float]:
    parts = (controller.cpu_millis / max(room.cpu_millis, 1), controller.memory_mib / max(room.memory_mib, 1))
    return not (controller.hosts_apart or controller.is_spread), -max(parts)
