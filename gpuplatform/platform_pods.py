"""The platform's own pods and the nodes of a stack: what the charts make of our values, and whether each finds a node.

The gate, the sandbox and the tests all take it from here, so that what is judged is what is made.
"""

from __future__ import annotations

from gpuplatform.faults import Fault
from gpuplatform.proofs import workloads
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


def faults(settings: Settings) -> list[Fault]:
    """What is wrong with where the platform's own pods stand."""
    return workloads.faults(platform_pods(settings), platform_nodes(settings))
