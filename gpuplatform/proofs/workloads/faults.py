"""The proof that every pod of the platform itself finds a node, and only nodes that it is meant for.

Helm waits for what a chart makes and rolls a release back that does not come up; what an operator makes later is waited
for by nobody. So a controller that no node takes is found here, before anything is made.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gpuplatform.faults import Fault
from gpuplatform.proofs.workloads.made import Made
from gpuplatform.proofs.workloads.nodes import NodeKind, obstacles, stands
from gpuplatform.standard.sheets.sheet import Place


def faults(workloads: Iterable[Made], nodes: Iterable[NodeKind]) -> list[Fault]:
    """What is wrong with where the platform's own pods stand, in a stack with these kinds of node."""
    kinds = tuple(nodes)
    return [
        fault
        for workload in workloads
        if not workload.fact.is_bound
        for fault in (*_placed(workload, kinds), *_apart(workload, kinds))
    ]


def _placed(workload: Made, kinds: tuple[NodeKind, ...]) -> Iterator[Fault]:
    """Every kind of node that is meant takes its pods, and no other kind does."""
    ask = workload.ask
    paths, place = workload.fact.paths, workload.fact.place
    missed = [kind for kind in kinds if place in kind.places and not stands(ask, kind)]
    strayed = [kind for kind in kinds if place not in kind.places and stands(ask, kind)]
    if missed:
        yield Fault(
            _path(workload),
            f"cannot stand on {_listed(missed)}: its pod {'; '.join(obstacles(ask, missed[0]))}",
            f"a pod that stands where it is meant to: {place.value}",
            f"give it what it lacks{_by(paths.tolerations, paths.node_selector)}",
        )
    if strayed:
        yield Fault(
            _path(workload),
            f"can stand on {_listed(strayed)}",
            f"a pod that stands only where it is meant to: {place.value}",
            f"have it select those nodes{_by(paths.node_selector, paths.affinity)}",
        )


def _apart(workload: Made, kinds: tuple[NodeKind, ...]) -> Iterator[Fault]:
    """Controllers that refuse to share a host have a host each."""
    hosts = max((kind.count or 0 for kind in kinds if Place.SYSTEM in kind.places), default=0)
    if workload.fact.hosts_apart and workload.replicas > hosts:
        yield Fault(
            _path(workload),
            f"{workload.replicas} pods that refuse to share a host, on {hosts} system nodes",
            "a node for each",
            "raise system_nodes.nodes",
        )


def _path(workload: Made) -> str:
    return f"charts[{workload.chart}].{workload.fact.kind.value}[{workload.fact.name}]"


def _listed(kinds: list[NodeKind]) -> str:
    """The first by name, and how many more there are."""
    return kinds[0].name if len(kinds) == 1 else f"{kinds[0].name} and {len(kinds) - 1} more"


def _by(*paths: str | None) -> str:
    named = [path for path in paths if path is not None]
    return f", by the chart's {' and '.join(named)}" if named else "; no value of the chart reaches it"
