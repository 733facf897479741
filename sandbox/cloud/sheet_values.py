"""What a chart's workloads will be with a release's values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from gpuplatform.standard import keys
from gpuplatform.standard.sheets.sheet import Kind, Maker, Place, PodSecurity, Requests, Sheet, Workload
from sandbox.cloud.world import Plain, Properties


@dataclass(frozen=True, slots=True)
class Pods:
    """One workload as it will be made."""

    kind: Kind
    name: str
    namespace: str
    service_account: str
    place: Place
    made_by: Maker
    hooks: tuple[str, ...]
    replicas: int
    labels: Mapping[str, str]
    tolerations: tuple[Properties, ...]
    node_selector: Mapping[str, str]
    affinity: Properties
    spread: tuple[Properties, ...]
    containers: tuple[tuple[str, Mapping[str, str]], ...]
    priority: str | None
    pod_security: PodSecurity | None
    claim: Properties | None


def pods_of(sheet: Sheet, values: Properties, namespace: str) -> tuple[Pods, ...]:
    """Every workload that a chart makes with some values."""

    def on(switch: str) -> bool:
        chosen = at(values, switch)
        return sheet.switches[switch] if chosen is None else bool(chosen)

    return tuple(
        _pods(workload, values, namespace)
        for workload in sheet.workloads
        if (workload.when is None or on(workload.when)) and (workload.unless is None or not on(workload.unless))
    )


def at(values: Properties, path: str | None) -> Plain:
    """The value at a dotted path; None where there is none."""
    value: Plain = values
    for key in path.split(".") if path else ():
        value = value.get(key) if isinstance(value, dict) else None
    return value if path else None


def _pods(workload: Workload, values: Properties, namespace: str) -> Pods:
    paths = workload.paths
    tolerations = at(values, paths.tolerations)
    selector = cast(dict[str, str], at(values, paths.node_selector) or {})
    chosen = {name: at(values, path) for name, path in (("replicas", paths.replicas), ("priority", paths.priority))}
    parts = ((workload.name, paths.resources, workload.requests),)
    parts += tuple((sidecar.name, sidecar.resources, sidecar.requests) for sidecar in workload.sidecars)
    own = workload.tolerations if tolerations is None else cast(list[Properties], tolerations)
    return Pods(
        kind=workload.kind,
        name=workload.name,
        namespace=workload.namespace or namespace,
        service_account=str(at(values, paths.service_account) or workload.service_account),
        place=workload.place,
        made_by=workload.made_by,
        hooks=workload.hooks,
        replicas=workload.replicas if chosen["replicas"] is None else int(str(chosen["replicas"])),
        labels=workload.labels,
        tolerations=tuple(cast(Properties, each) for each in (*own, *workload.always_tolerates)),
        node_selector={**workload.node_selector, **selector},
        affinity=cast(Properties, at(values, paths.affinity) or _own_affinity(workload)),
        spread=tuple(cast(list[Properties], at(values, paths.spread) or [])),
        containers=tuple((name[:63], _requests(at(values, path), request)) for name, path, request in parts),
        priority=None if (name := chosen["priority"] or workload.priority) is None else str(name),
        pod_security=workload.pod_security,
        claim=_claim(at(values, paths.storage)),
    )


def _own_affinity(workload: Workload) -> Properties:
    affinity: Properties = {}
    if workload.node_terms:
        terms: list[Plain] = [
            {
                "matchExpressions": [
                    {"key": line.key, "operator": line.operator, "values": list(line.values)} for line in term
                ]
            }
            for term in workload.node_terms
        ]
        affinity["nodeAffinity"] = {_REQUIRED: {"nodeSelectorTerms": terms}}
    if workload.hosts_apart:
        apart: Properties = {"labelSelector": {"matchLabels": dict(workload.labels)}, "topologyKey": keys.HOSTNAME}
        affinity["podAntiAffinity"] = {_REQUIRED: [apart]}
    return affinity


def _requests(resources: Plain, own: Requests) -> dict[str, str]:
    chosen = at(cast(Properties, resources), "requests") if isinstance(resources, dict) else None
    return cast(dict[str, str], chosen) if isinstance(chosen, dict) else own.model_dump(exclude_none=True)


def _claim(storage: Plain) -> Properties | None:
    """prometheus-operator's form of a claim."""
    return cast(Properties | None, at(cast(Properties, storage or {}), "volumeClaimTemplate.spec"))


_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
