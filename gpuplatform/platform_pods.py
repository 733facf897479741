"""The platform's own pods: which pods the charts make from our values, and whether each finds a node of the stack.

The gate, the tests and the sandbox all use these functions.
"""

from __future__ import annotations

from gpuplatform.analysis import system_group, workloads
from gpuplatform.analysis.workloads import Made, NodeKind
from gpuplatform.faults import Fault
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
    values_by_addon = addon_values()
    of_addons = (
        workload
        for addon in addons(settings.cluster.version)
        for workload in workloads.made(sheets()[addon], values_by_addon.get(addon, {}), names.SYSTEM_NAMESPACE)
    )
    return (*of_charts, *of_addons)


def platform_nodes(settings: Settings) -> tuple[NodeKind, ...]:
    """Every kind of node of a stack. The system nodes come first: at the first ``up`` there are no others."""
    marks = (mark for chart in chart_values(settings) for mark in sheets()[chart].marks)
    return workloads.node_kinds(settings, lambda planned: instruction_labels(planned, settings.aliases), marks)


def system_load(settings: Settings) -> system_group.Load | None:
    """What the controllers request of the system nodes, and what these nodes offer while one of them is down."""
    return system_group.load(settings.system_nodes, system_group.system_pods(platform_pods(settings)))


def faults(settings: Settings) -> list[Fault]:
    """Faults of the platform's own pods that find no node, and of system nodes that are too small for theirs."""
    pods = platform_pods(settings)
    return [
        *workloads.faults(pods, platform_nodes(settings)),
        *system_group.faults(settings.system_nodes, system_group.system_pods(pods)),
    ]
