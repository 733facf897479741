"""The workloads that a chart makes of values: its fact sheet, with the platform's values over the chart's defaults.

Values are merged as Helm merges them: a mapping key by key into the chart's mapping, a list in place of the chart's.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import cast

from gpuplatform.analysis.placement.pod import PodAsk
from gpuplatform.standard import keys
from gpuplatform.standard.requirements import Requirement
from gpuplatform.standard.sheets.sheet import AffinityRequirement, Paths, Requests, Sheet, Workload
from gpuplatform.standard.taints import TaintEffect, Toleration

Values = Mapping[str, object]
"""A chart's values, or an object in them, as plain data."""

_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


@dataclass(frozen=True, slots=True)
class Container:
    """One container of a pod and its requests, as Kubernetes writes them."""

    name: str
    requests: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Made:
    """One workload as the chart makes it of values."""

    chart: str
    fact: Workload
    """The workload's facts from the sheet: kind, name, place, hooks, maker."""
    namespace: str
    service_account: str
    replicas: int
    tolerations: tuple[Mapping[str, str], ...]
    node_selector: Mapping[str, str]
    node_terms: tuple[tuple[AffinityRequirement, ...], ...]
    priority: str | None
    spread: tuple[Values, ...]
    containers: tuple[Container, ...]

    @property
    def ask(self) -> PodAsk:
        """The demands of one of its pods on a node, as the scheduler reads them."""
        selected = tuple(Requirement(key, "In", (value,)) for key, value in self.node_selector.items())
        terms = self.node_terms or ((),)
        return PodAsk(
            alternatives=tuple(
                (*selected, *(Requirement(line.key, line.operator, line.values) for line in term)) for term in terms
            ),
            tolerations=tuple(map(_toleration, self.tolerations)),
        )

    def pod_spec(self) -> dict[str, object]:
        """The part of a pod's spec that decides its node and its resources, as Kubernetes writes it."""
        spec: dict[str, object] = {
            "serviceAccountName": self.service_account,
            "nodeSelector": dict(self.node_selector),
            "tolerations": [dict(toleration) for toleration in self.tolerations],
            "containers": [
                {"name": container.name, "resources": {"requests": dict(container.requests)}}
                for container in self.containers
            ],
        }
        if self.node_terms:
            terms = [{"matchExpressions": [_line(line) for line in term]} for term in self.node_terms]
            spec["affinity"] = {"nodeAffinity": {_REQUIRED: {"nodeSelectorTerms": terms}}}
        if self.fact.hosts_apart:
            alike = {"labelSelector": {"matchLabels": dict(self.fact.labels)}, "topologyKey": keys.HOSTNAME}
            spec["affinity"] = {**_mapping(spec.get("affinity")), "podAntiAffinity": {_REQUIRED: [alike]}}
        if self.spread:
            spec["topologySpreadConstraints"] = [dict(constraint) for constraint in self.spread]
        if self.priority is not None:
            spec["priorityClassName"] = self.priority
        return spec


def made(sheet: Sheet, values: Values, namespace: str) -> tuple[Made, ...]:
    """Every workload and hook that the chart makes of these values in a namespace, in the sheet's order."""
    return tuple(
        _made(sheet.name, workload, values, namespace)
        for workload in sheet.workloads
        if _is_on(sheet, values, workload.when, default=True)
        and not _is_on(sheet, values, workload.unless, default=False)
    )


def value_at(values: Values, path: str | None) -> object:
    """The value at a dotted path; None where the values lack it."""
    value: object = values if path is not None else None
    for key in (path or "").split("."):
        value = _mapping(value).get(key)
    return value


def _is_on(sheet: Sheet, values: Values, switch: str | None, *, default: bool) -> bool:
    if switch is None:
        return default
    switch_value = value_at(values, switch)
    return sheet.switches[switch] if switch_value is None else bool(switch_value)


def _made(chart: str, workload: Workload, values: Values, namespace: str) -> Made:
    paths = workload.paths
    own_tolerations = value_at(values, paths.tolerations)
    account, replicas, priority = (
        value_at(values, path) for path in (paths.service_account, paths.replicas, paths.priority)
    )
    return Made(
        chart=chart,
        fact=workload,
        namespace=workload.namespace or namespace,
        service_account=workload.service_account if account is None else str(account),
        replicas=workload.replicas if replicas is None else int(str(replicas)),
        tolerations=(
            *workload.always_tolerates,
            *(workload.tolerations if own_tolerations is None else _texts(own_tolerations)),
        ),
        node_selector={**workload.node_selector, **_text(value_at(values, paths.node_selector))},
        node_terms=_terms(paths, values) or workload.node_terms,
        priority=workload.priority if priority is None else str(priority),
        spread=tuple(_mappings(value_at(values, paths.spread))),
        containers=(
            Container(workload.name, _requests(workload.requests, values, paths.resources)),
            *(
                Container(sidecar.name, _requests(sidecar.requests, values, sidecar.resources))
                for sidecar in workload.sidecars
            ),
        ),
    )


def _terms(paths: Paths, values: Values) -> tuple[tuple[AffinityRequirement, ...], ...]:
    """The required node affinity of the values; empty where they have none."""
    required = (
        value_at(values, f"{paths.affinity}.nodeAffinity.{_REQUIRED}.nodeSelectorTerms") if paths.affinity else None
    )
    return tuple(
        tuple(AffinityRequirement.model_validate(line) for line in _mappings(term.get("matchExpressions")))
        for term in _mappings(required)
    )


def _requests(default: Requests, values: Values, path: str | None) -> dict[str, str]:
    own_requests = _text(value_at(values, f"{path}.requests")) if path else {}
    return {**default.model_dump(exclude_none=True), **own_requests}


def _toleration(document: Mapping[str, str]) -> Toleration:
    """A toleration as the API server reads it: without a key it means every key, without an operator Equal, without an
    effect every effect."""
    exists = document.get("operator", "Equal") == "Exists"
    effect = document.get("effect")
    return Toleration(
        key=document.get("key", ""),
        value=None if exists else document.get("value", ""),
        effect=TaintEffect(effect) if effect else None,
    )


def _line(requirement: AffinityRequirement) -> dict[str, object]:
    document: dict[str, object] = {"key": requirement.key, "operator": requirement.operator}
    return {**document, "values": list(requirement.values)} if requirement.values else document


def _mapping(value: object) -> Values:
    return cast(Values, value) if isinstance(value, Mapping) else {}


def _mappings(value: object) -> Iterable[Values]:
    return map(_mapping, cast(list[object], value)) if isinstance(value, (list, tuple)) else ()


def _text(value: object) -> dict[str, str]:
    return {key: str(item) for key, item in _mapping(value).items()}


def _texts(value: object) -> tuple[dict[str, str], ...]:
    return tuple(map(_text, _mappings(value)))
