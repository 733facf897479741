"""The pods of a release as Kubernetes objects, from the fact sheet and the release's own values.

kwok runs them: their image is a placeholder and their processes do nothing. Everything that decides where they are
placed is real: tolerations, selectors, affinity, requests, priority, account, volumes, and the security context.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import cast

from gpuplatform.analysis.workloads import Made, made, value_at
from gpuplatform.standard.sheets.sheet import Kind, Maker, PodSecurityLevel, Sheet
from sandbox.cloud.store import Properties
from sandbox.control_plane.controllers import RUNS_FOR

RELEASE = "gpu-platform.sandbox/release"
"""Label of every object that a release or an add-on makes here."""
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
"""The API versions of controllers. A short-lived pod that another pod makes is not made here."""
_SECURITY: Mapping[PodSecurityLevel | None, Properties] = {
    PodSecurityLevel.RESTRICTED: {
        "allowPrivilegeEscalation": False,
        "capabilities": {"drop": ["ALL"]},
        "runAsNonRoot": True,
        "seccompProfile": {"type": "RuntimeDefault"},
    },
    PodSecurityLevel.PRIVILEGED: {"privileged": True},
}
"""A security context that satisfies a level and no stricter one; empty for ``baseline`` and for an unknown level."""


@dataclass(frozen=True, slots=True)
class Release:
    """A chart or add-on with values, in a namespace."""

    sheet: Sheet
    values: Properties
    namespace: str

    @property
    def name(self) -> str:
        """The release's name, which is the chart's."""
        return self.sheet.name

    def parts(self, maker: Maker | None = None) -> list[Made]:
        """The workloads that exist until the release is removed, of one maker or of both."""
        return [part for part in self._all() if not part.fact.hooks and maker in (None, part.fact.made_by)]

    def hooks(self, phase: str | None = None) -> list[Made]:
        """The hooks of a phase, such as ``pre-install``, or of all phases."""
        hooks = [part for part in self._all() if part.fact.hooks]
        return [hook for hook in hooks if phase is None or phase in hook.fact.hooks]

    def account(self, part: Made) -> Properties:
        """The service account that a workload's pods run as."""
        return self._object("v1", "ServiceAccount", part.service_account, part.namespace)

    def workload(self, part: Made) -> Properties:
        """A workload as an object."""
        kind = part.fact.kind
        spec: Properties = {"template": self._template(part)}
        if kind is not Kind.JOB:
            spec["selector"] = {"matchLabels": {_WORKLOAD: part.fact.name}}
        if kind in (Kind.DEPLOYMENT, Kind.STATEFUL_SET):
            spec["replicas"] = part.replicas
        if kind is Kind.STATEFUL_SET:
            # prometheus-operator 6adcebc pkg/prometheus/server/statefulset.go, pkg/alertmanager/statefulset.go
            spec |= {"podManagementPolicy": "Parallel", "serviceName": part.fact.name}
            if claim := self._claim(part):
                metadata: Properties = {"name": _VOLUME, "labels": {RELEASE: self.name}}
                spec["volumeClaimTemplates"] = [{"metadata": metadata, "spec": claim}]
        return {**self._object(_VERSIONS[kind], kind.value, part.fact.name, part.namespace), "spec": spec}

    def _all(self) -> Iterator[Made]:
        everything = made(self.sheet, self.values, self.namespace)
        return (part for part in everything if part.fact.kind in _VERSIONS)

    def _object(self, version: str, kind: str, name: str, namespace: str) -> Properties:
        metadata: Properties = {"name": name, "namespace": namespace, "labels": {RELEASE: self.name}}
        return {"apiVersion": version, "kind": kind, "metadata": metadata}

    def _claim(self, part: Made) -> Properties | None:
        """The volume claim, as prometheus-operator's values hold it: no other workload of the platform has one."""
        storage = part.fact.paths.storage
        return None if storage is None else _claim(value_at(self.values, f"{storage}.volumeClaimTemplate.spec"))

    def _template(self, part: Made) -> Properties:
        labels: Properties = {**part.fact.labels, _WORKLOAD: part.fact.name, RELEASE: self.name}
        metadata: Properties = {"labels": labels}
        spec = cast(Properties, part.pod_spec())
        security = _SECURITY.get(part.fact.pod_security, {})
        spec["containers"] = [
            {**container, "image": _IMAGE, "securityContext": security}
            for container in cast(list[Properties], spec["containers"])
        ]
        if part.fact.kind is Kind.JOB:
            spec["restartPolicy"] = "Never"
            metadata["annotations"] = {RUNS_FOR: "1ms"}
        return {"metadata": metadata, "spec": spec}


def _claim(spec: object) -> Properties | None:
    return cast(Properties, spec) if isinstance(spec, dict) else None
