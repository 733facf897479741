"""What one system node has for controllers, and whether so many of them take so many pods."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Self

from gpuplatform.catalog.instance_types import InstanceType
from gpuplatform.proofs.system_group.pods import Controller

_ADDRESSES_OF_A_PREFIX = 16
_FEW_VCPUS, _FEW_PODS, _MANY_PODS = 30, 110, 250
"""The most that EKS lets a managed node's kubelet take, below so many vCPUs and from there on (EKS user guide,
nodes/choosing-instance-type, how maxPods is determined, 3a23761)."""
_RESERVED_MIB_OF_A_POD = 11
"""awslabs/amazon-eks-ami tag v20260714, nodeadm/internal/kubelet/config.go, getMemoryMebibytesToReserve."""


@dataclass(frozen=True, slots=True)
class Room:
    """What a node has, or has left."""

    cpu_millis: int
    memory_mib: int
    pods: int

    @classmethod
    def of(cls, node: InstanceType) -> Self:
        """What kubelets of a managed node group give to pods.

        The catalogue's figures are allocatable with an address a pod, and the cluster hands out prefixes of addresses,
        so a node takes more pods. nodeadm reserves memory by the former count unless it is told another (config.go,
        withDefaultReservedResources), and EKS does not publish what it tells it: reserved is by the greater.
        """
        by_prefix = _ADDRESSES_OF_A_PREFIX * (node.max_pods - 2) + 2
        pods = min(by_prefix, _FEW_PODS if node.vcpus < _FEW_VCPUS else _MANY_PODS)
        reserved_mib = _RESERVED_MIB_OF_A_POD * max(0, pods - node.max_pods)
        return cls(node.allocatable_cpu_millis, node.allocatable_memory_mib - reserved_mib, pods)

    @classmethod
    def of_any(cls, nodes: Iterable[InstanceType]) -> Self:
        """What is left of the weakest, whichever of these types EKS launches."""
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
        """What is left beside all of these pods; negative where it is too little."""
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
    """The controllers of which a pod finds no place on so many hosts; empty where all stand.

    First fit: those that have to stand apart before all others, and the greatest first. A volume that is bound to a
    zone is not looked at: its pod waits for a node of that zone, however much room there is elsewhere.
    """
    machines = [_Host(room) for _ in range(hosts)]
    left: list[str] = []
    for controller in sorted(controllers, key=lambda controller: _order(controller, room)):
        most = controller.most_on_a_host(hosts)
        one = replace(controller, replicas=1)
        # Those that refuse to share a host wait for one more host, whatever the room.
        for _ in range(min(controller.replicas, hosts) if controller.hosts_apart else controller.replicas):
            free = (host for host in machines if host.has[controller.name] < most and host.room.takes(one))
            host = next(free, None)
            if host is None:
                left.append(controller.name)
                break
            host.has[controller.name] += 1
            host.room = host.room.less(one)
    return tuple(left)


def _order(controller: Controller, room: Room) -> tuple[bool, float]:
    parts = (controller.cpu_millis / max(room.cpu_millis, 1), controller.memory_mib / max(room.memory_mib, 1))
    return not (controller.hosts_apart or controller.is_spread), -max(parts)
