"""The check that every pod of the platform itself finds a node, and only nodes that it is meant for.

Helm waits for a chart's objects and rolls back a release that does not become ready; nothing waits for the objects that
an operator makes later. So this check finds a controller without a node before anything is made.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gpuplatform.analysis.workloads.made import Made
from gpuplatform.analysis.workloads.nodes import NodeKind, obstacles, stands
from gpuplatform.faults import Fault
from gpuplatform.standard.sheets.sheet import MeantFor


def faults(workloads: Iterable[Made], nodes: Iterable[NodeKind]) -> list[Fault]:
    """The faults of placing the platform's own pods, in a stack with these kinds of node."""
    kinds = tuple(nodes)
    return [
        fault
        for workload in workloads
        if not workload.fact.is_bound
        for fault in (*_placed(workload, kinds), *_apart(workload, kinds))
    ]


def _placed(workload: Made, kinds: tuple[NodeKind, ...]) -> Iterator[Fault]:
    """A fault for intended nodes that reject the pods, and one for other nodes that accept them."""
    ask = workload.ask
    paths, place = workload.fact.paths, workload.fact.place
    refusing_kinds = [kind for kind in kinds if place in kind.places and not stands(ask, kind)]
    foreign_kinds = [kind for kind in kinds if place not in kind.places and stands(ask, kind)]
    if refusing_kinds:
        yield Fault(
            _path(workload),
            f"cannot run on {_listed(refusing_kinds)}: its pod {'; '.join(obstacles(ask, refusing_kinds[0]))}",
            f"a pod that can run where it is meant to: {place.value}",
            f"add the missing toleration or selector{_by(paths.tolerations, paths.node_selector)}",
        )
    if foreign_kinds:
        yield Fault(
            _path(workload),
            f"can run on {_listed(foreign_kinds)}",
            f"a pod that can run only where it is meant to: {place.value}",
            f"make it select those nodes{_by(paths.node_selector, paths.affinity)}",
        )


def _apart(workload: Made, kinds: tuple[NodeKind, ...]) -> Iterator[Fault]:
    """A fault for a controller whose pods refuse to share a host, where there are fewer hosts than pods."""
    hosts = max((kind.count or 0 for kind in kinds if MeantFor.SYSTEM in kind.places), default=0)
    if workload.fact.hosts_apart and workload.replicas > hosts:
        yield Fault(
            _path(workload),
            f"{workload.replicas} pods that refuse to share a host, on {hosts} system nodes",
            "a node for each pod",
            "raise system_nodes.nodes",
        )


def _path(workload: Made) -> str:
    return f"charts[{workload.chart}].{workload.fact.kind.value}[{workload.fact.name}]"


def _listed(kinds: list[NodeKind]) -> str:
    """The name of the first kind, and the number of the others."""
    return kinds[0].name if len(kinds) == 1 else f"{kinds[0].name} and {len(kinds) - 1} more"


def _by(*paths: str | None) -> str:
    value_paths = [path for path in paths if path is not None]
    return f", by the chart's {' and '.join(value_paths)}" if value_paths else "; no value of the chart reaches it"
