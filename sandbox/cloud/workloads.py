"""The pods of a release as objects of the API server: from the fact sheet and the release's own values.

Their image is harmless and their processes do nothing: kwok runs them. What decides where they stand is theirs:
tolerations, selectors, affinity, requests, priority, account, volumes, and what Pod Security is told of them.
"""

from __future__ import annotations

from collections.abc import Mapping

from gpuplatform.standard.sheets.sheet import Kind, PodSecurity
from sandbox.cloud.sheet_values import Pods
from sandbox.cloud.world import Properties
from sandbox.control_plane.controllers import RUNS_FOR

RELEASE = "gpu-platform.sandbox/release"
"""Label of everything that a release or an add-on makes here."""
_WORKLOAD = "gpu-platform.sandbox/workload"
"""Label of a workload's pods, by which it selects them."""
_IMAGE = "registry.k8s.io/pause:3.10"
_VOLUME = "data"
_VERSIONS = {
    Kind.DEPLOYMENT: "apps/v1",
    Kind.DAEMON_SET: "apps/v1",
    Kind.STATEFUL_SET: "apps/v1",
    Kind.JOB: "batch/v1",
}
_RESTRICTED: Properties = {
    "allowPrivilegeEscalation": False,
    "capabilities": {"drop": ["ALL"]},
    "runAsNonRoot": True,
    "seccompProfile": {"type": "RuntimeDefault"},
}
_SECURITY: Mapping[PodSecurity | None, Properties] = {
    PodSecurity.RESTRICTED: _RESTRICTED,
    PodSecurity.PRIVILEGED: {"privileged": True},
}
"""A container that satisfies the level and no stricter one; of ``baseline`` and of what is not known, nothing."""


def is_made(pods: Pods) -> bool:
    """Whether it is a workload that stands by itself, not a pod that another one makes for a moment."""
    return pods.kind in _VERSIONS


def account(pods: Pods, release: str) -> Properties:
    """The service account that a workload's pods run as."""
    return _object("v1", "ServiceAccount", pods.service_account, pods.namespace, release)


def workload(pods: Pods, release: str) -> Properties:
    """A workload."""
    spec: Properties = {"template": _template(pods, release)}
    if pods.kind is not Kind.JOB:
        spec["selector"] = {"matchLabels": {_WORKLOAD: pods.name}}
    if pods.kind in (Kind.DEPLOYMENT, Kind.STATEFUL_SET):
        spec["replicas"] = pods.replicas
    if pods.kind is Kind.STATEFUL_SET:
        # prometheus-operator 6adcebc pkg/prometheus/server/statefulset.go, pkg/alertmanager/statefulset.go
        spec["podManagementPolicy"] = "Parallel"
        spec["serviceName"] = pods.name
        if pods.claim is not None:
            spec["volumeClaimTemplates"] = [{"metadata": {"name": _VOLUME}, "spec": pods.claim}]
    return {**_object(_VERSIONS[pods.kind], pods.kind.value, pods.name, pods.namespace, release), "spec": spec}


def _object(version: str, kind: str, name: str, namespace: str, release: str) -> Properties:
    metadata: Properties = {"name": name, "namespace": namespace, "labels": {RELEASE: release}}
    return {"apiVersion": version, "kind": kind, "metadata": metadata}


def _template(pods: Pods, release: str) -> Properties:
    labels: Properties = {**pods.labels, _WORKLOAD: pods.name, RELEASE: release}
    metadata: Properties = {"labels": labels}
    spec: Properties = {
        "serviceAccountName": pods.service_account,
        "tolerations": [dict(toleration) for toleration in pods.tolerations],
        "nodeSelector": dict(pods.node_selector),
        "affinity": pods.affinity,
        "containers": [
            {
                "name": name,
                "image": _IMAGE,
                "resources": {"requests": dict(requests)},
                "securityContext": _SECURITY.get(pods.pod_security, {}),
            }
            for name, requests in pods.containers
        ],
    }
    if pods.priority is not None:
        spec["priorityClassName"] = pods.priority
    if pods.spread:
        spec["topologySpreadConstraints"] = [dict(constraint) for constraint in pods.spread]
    if pods.kind is Kind.JOB:
        spec["restartPolicy"] = "Never"
        metadata["annotations"] = {RUNS_FOR: "1ms"}
    return {"metadata": metadata, "spec": spec}
