"""The platform's own pods and the nodes of a stack: what the charts make of our values, and whether each finds a node.

The gate and the tests take it from here; the sandbox makes the pods of each release by the same functions.
"""

from __future__ import annotations

from gpuplatform.faults import Fault
from gpuplatform.proofs import system_group, workloads
from gpuplatform.proofs.workloads import Made, NodeKind
from gpuplatform.render.addons import addon_values
from gpuplatform.render.nodepools import instruction_labels
from gpuplatform.render.stack import chart_values
from gpuplatform.settings.settings import Settings
from gpuplatform.standard import names
from gpuplatform.standard.sheets.sheet import sheets
from gpuplatform.standard.versions import CHARTS, addons


def platform_pods(settings: Settings) -> tuple[Made, ...]:
    """Every workload and hook that the charts and EKS' add-ons of a stack make, and their operators."""
    of_charts = (
        workload
        for chart, values in chart_values(settings).items()
        for workload in workloads.made(sheets()[chart], values, CHARTS[chart].namespace)
    )
    told = addon_values()
    of_addons = (
        workload
        for addon in addons(settings.cluster.version)
        for workload in workloads.made(sheets()[addon], told.get(addon, {}), names.SYSTEM_NAMESPACE)
    )
    return (*of_charts, *of_addons)


def platform_nodes(settings: Settings) -> tuple[NodeKind, ...]:
    """Every kind of node of a stack, the system nodes first; they alone are there at the first ``up``."""
    marks = (mark for chart in chart_values(settings) for mark in sheets()[chart].marks)
    return workloads.node_kinds(settings, lambda planned: instruction_labels(planned, settings.aliases), marks)


def system_load(settings: Settings) -> system_group.Load | None:
    """What the controllers ask of the system nodes, and what those have while one is down."""
    return system_group.load(settings.system_nodes, system_group.system_pods(platform_pods(settings)))


def faults(settings: Settings) -> list[Fault]:
    """What is wrong with where the platform's own pods stand, and whether the system nodes carry theirs."""
    pods = platform_pods(settings)
    return [
        *workloads.faults(pods, platform_nodes(settings)),
        *system_group.faults(settings.system_nodes, system_group.system_pods(pods)),
    ]
