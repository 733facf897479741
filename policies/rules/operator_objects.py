"""Objects beside the GPU Operator's chart: its one ClusterPolicy, and what scrapes its exporter (G4, O1)."""

from __future__ import annotations

from collections.abc import Iterable

from gpuplatform.faults import Fault
from policies.cel import PLATFORMS_OWN
from policies.rule import Rule, Severity
from policies.subject import UNKNOWN, Kind, Subject, Unknown, at, items_at, mapping_at, quoted

CLUSTER_POLICY = Kind("nvidia.com", "ClusterPolicy")
SERVICE_MONITOR = Kind("monitoring.coreos.com", "ServiceMonitor")

_CLUSTER_POLICY_NAME = "cluster-policy"
"""The chart's (NVIDIA/gpu-operator v26.7.0 deployments/gpu-operator/templates/clusterpolicy.yaml)."""
_EXPORTER = "nvidia-dcgm-exporter"
_EXPORTER_PORT = "gpu-metrics"
"""App label and port of the exporter's Service (NVIDIA/gpu-operator v26.7.0 assets/state-dcgm-exporter)."""


def _named(subject: Subject) -> Iterable[Fault]:
    name = subject.known_name
    if name is None or name == _CLUSTER_POLICY_NAME:
        return []
    allowed = f"{_CLUSTER_POLICY_NAME}, the one that the chart makes: the operator obeys one and ignores every other"
    return [Fault("metadata.name", quoted(name), allowed, f"change {_CLUSTER_POLICY_NAME}, or the chart's values")]


def _scraped(subject: Subject) -> Iterable[Fault]:
    selected = mapping_at(subject, "spec", "selector", "matchLabels")
    endpoints = items_at(subject, "spec", "endpoints")
    if isinstance(selected, Unknown) or isinstance(endpoints, Unknown) or selected.get("app") != _EXPORTER:
        return []
    return [
        Fault(
            f"spec.endpoints[{number}].port",
            quoted(port),
            f"{_EXPORTER_PORT}, the port of the Service {_EXPORTER}: by another name nothing is scraped",
            f"set port: {_EXPORTER_PORT}",
        )
        for number, each in enumerate(endpoints)
        if (port := at(each, "port")) not in (None, _EXPORTER_PORT, UNKNOWN)
    ]


CLUSTER_POLICY_NAMED = Rule(
    name="cluster-policy-named",
    description="The GPU Operator's ClusterPolicy is the chart's own.",
    severity=Severity.MEDIUM,
    remediation=f"Name it {_CLUSTER_POLICY_NAME}, or give the same through the chart's values.",
    kinds=(CLUSTER_POLICY,),
    judge=_named,
    admission=PLATFORMS_OWN,
)

EXPORTER_SCRAPED = Rule(
    name="exporter-scraped",
    description="A ServiceMonitor of the card metrics names the port that their Service has.",
    severity=Severity.MEDIUM,
    remediation=f"Set the endpoint's port to {_EXPORTER_PORT}.",
    kinds=(SERVICE_MONITOR,),
    judge=_scraped,
    admission=PLATFORMS_OWN,
)

RULES = (CLUSTER_POLICY_NAMED, EXPORTER_SCRAPED)
