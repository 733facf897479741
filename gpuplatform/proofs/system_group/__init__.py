"""Whether the system group carries every controller of a stack while one of its nodes is down."""

from gpuplatform.proofs.system_group.packing import Room, unplaced
from gpuplatform.proofs.system_group.pods import Controller, SystemPods, system_pods
from gpuplatform.proofs.system_group.proof import Load, faults, load

__all__ = ["Controller", "Load", "Room", "SystemPods", "faults", "load", "system_pods", "unplaced"]
