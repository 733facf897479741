"""The check that the system nodes have room for every controller of a stack while one of them is down."""

from gpuplatform.analysis.system_group.packing import Room, unplaced
from gpuplatform.analysis.system_group.pods import Controller, SystemPods, system_pods
from gpuplatform.analysis.system_group.proof import Load, faults, load

__all__ = ["Controller", "Load", "Room", "SystemPods", "faults", "load", "system_pods", "unplaced"]
