"""Helm releases on a real API server: real helm installs the available charts; fact sheets stand in for the others.

The real scheduler places every release's pods. Karpenter's chart is installed whole; the pods of an unavailable chart
are made from its fact sheet. The pods do nothing: Karpenter and Kueue run as processes beside the control plane, and a
stand-in's documents are applied for the GPU Operator.
"""

from __future__ import annotations

import enum
import json
import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from gpuplatform.render.document import Document
from gpuplatform.render.monitoring.values import DEFINITIONS_CHART
from gpuplatform.standard import keys
from gpuplatform.standard.sheets.sheet import sheets
from gpuplatform.standard.versions import CHARTS
from sandbox.cloud.api import Api, ObjectPath
from sandbox.cloud.input_validation import RefusedError
from sandbox.cloud.references import at_path
from sandbox.cloud.release_pods import ReleasePods
from sandbox.cloud.rollout import Rollout
from sandbox.cloud.store import Plain, Properties
from sandbox.cloud.workloads import Release
from sandbox.contents import operator_documents
from sandbox.control_plane.crds import install_crds
from sandbox.control_plane.karpenter import karpenter_in
from sandbox.control_plane.kubectl import Kubectl
from sandbox.control_plane.kueue import KueueCommands, kueue_at_hand, kueue_in, remove_kueue
from sandbox.session.folder import request_part
from sandbox.tools.acquire import at_hand
from sandbox.tools.module_files import (
    KARPENTER_CHART,
    KARPENTER_CRD_CHART,
    KEDA_CRDS,
    PROMETHEUS_CRDS,
    ModuleFiles,
    files_at_hand,
)
from sandbox.tools.table import HELM, KUBECTL

_HELM_SECONDS = 360
_KARPENTER_SECONDS = 360.0
_KUEUE_SECONDS = 540.0
_KARPENTER = "karpenter"
_OPERATOR = "gpu-operator"
_KUEUE = "kueue"
_CHARTS: Mapping[str, ModuleFiles] = {"karpenter-crd": KARPENTER_CRD_CHART, _KARPENTER: KARPENTER_CHART}
_DEFINITIONS: Mapping[str, ModuleFiles] = {
    DEFINITIONS_CHART: PROMETHEUS_CRDS,
    "keda": KEDA_CRDS,
}
"""Unavailable charts whose CRDs other objects of the stack need."""


class Served(enum.StrEnum):
    """How a release is served here."""

    HELM = "installed by helm"
    PROCESS = "installed by helm; its process runs beside the control plane"
    STAND_IN = "its pods, and a stand-in for the devices that it advertises on nodes"
    RENDERED = "its pods; its process runs beside the control plane, configured by its rendered chart"
    DEFINITIONS = "its CRDs, and its pods where it has any"
    PODS = "its pods"
    ABSENT = "not installed: it has no fact sheet, so its pods are unknown"


def served(chart: str) -> Served:
    """How the release of a chart is served here."""
    if chart == _KARPENTER:
        return Served.PROCESS
    if chart == _KUEUE:
        return Served.RENDERED
    if chart in _CHARTS:
        return Served.HELM
    if chart in _DEFINITIONS:
        return Served.DEFINITIONS
    if chart == _OPERATOR:
        return Served.STAND_IN
    return Served.PODS if chart in sheets() else Served.ABSENT


@dataclass(frozen=True, slots=True)
class Releases:
    """The releases of one cluster."""

    api: Api
    control_plane: Path
    """The folder of the control plane."""

    def install(self, inputs: Properties, earlier: Properties | None) -> None:
        """Install, or upgrade from the earlier inputs. Raises RefusedError with helm's or the scheduler's message."""
        chart, values = chart_of(inputs), cast(Properties, inputs.get("values") or {})
        if chart in _CHARTS:
            self._helm_install(chart, inputs, values, earlier)
        elif chart in sheets():
            self._pods().install(_release(inputs), None if earlier is None else _release(earlier))
        if chart in _DEFINITIONS:
            install_crds(self._kubectl(), _folder(chart, _DEFINITIONS))
        if chart == _KARPENTER:
            request_part(self.control_plane, _KARPENTER, values)
            self._await_karpenter(runs=True)
        if chart == _KUEUE:
            request_part(self.control_plane, _KUEUE, values)
            self._await_kueue(values)
        if chart == _OPERATOR:
            for document in self._operator(inputs):
                self.api.apply(cast(Properties, document))

    def uninstall(self, inputs: Properties) -> None:
        """Uninstall; a release that no longer exists is no error."""
        chart = chart_of(inputs)
        if chart == _KARPENTER:
            request_part(self.control_plane, _KARPENTER, None)
            self._await_karpenter(runs=False)
        if chart == _KUEUE:
            remove_kueue(self._kubectl(), _kueue_commands(), cast(Properties, inputs.get("values") or {}))
            request_part(self.control_plane, _KUEUE, None)
            self._await_kueue(None)
        if chart in _CHARTS:
            self._helm("uninstall", chart, *_namespace(inputs), "--ignore-not-found", *_wait())
        elif chart in sheets():
            self._pods().uninstall(_release(inputs))
        if chart in _DEFINITIONS and not _outlasts(inputs):
            gone = self._kubectl()("delete", "--ignore-not-found", "-f", str(_folder(chart, _DEFINITIONS)))
            if not gone.ok:
                raise RefusedError(f"the CRDs of {chart} could not be deleted: {gone.err.strip()}")
        if chart == _OPERATOR:
            for document in self._operator(inputs):
                self.api.delete(self.api.place(cast(Properties, document)), _HELM_SECONDS)

    def _operator(self, inputs: Properties) -> tuple[Document, ...]:
        values = cast(Mapping[str, object], inputs.get("values") or {})
        return operator_documents(values, str(inputs["namespace"]))

    def _pods(self) -> ReleasePods:
        return ReleasePods(self.api)

    def _helm_install(self, chart: str, inputs: Properties, values: Properties, earlier: Properties | None) -> None:
        folder = _folder(chart, _CHARTS)
        self._forget_interrupted(chart, inputs)
        flags = ["--skip-crds"] if inputs.get("skipCrds") else []
        # Helm reads the values file "-" from its standard input. It is not told to wait for the pods: it would not
        # report why they have no node.
        self._helm(
            *("upgrade", "--install", chart, str(folder), *_namespace(inputs), *flags, "--values", "-"),
            stdin=json.dumps(values),
        )
        try:
            Rollout(self.api).await_standing(f"{chart}: the release has pods without a node", self._rendered(inputs))
        except RefusedError:
            back = ("uninstall", chart) if earlier is None else ("rollback", chart)
            self._helm(*back, *_namespace(inputs), *_wait())
            raise

    def _rendered(self, inputs: Properties) -> list[ObjectPath]:
        """The Deployments of a release that helm installed: these charts have no pods of another kind."""
        path = f"/apis/apps/v1/namespaces/{inputs['namespace']}/deployments"
        deployments = self.api.items(path, labelSelector=f"{keys.APP_INSTANCE}={chart_of(inputs)}")
        return [ObjectPath(f"{path}/{cast(Properties, deployment['metadata'])['name']}") for deployment in deployments]

    def _forget_interrupted(self, chart: str, inputs: Properties) -> None:
        """Delete the record of an interrupted helm run: helm refuses to change a release while that record exists."""
        listed = self._helm("list", "--pending", "--output", "json", *_namespace(inputs), "--filter", f"^{chart}$")
        for load in cast(list[dict[str, str]], json.loads(listed or "[]")):
            name = f"sh.helm.release.v1.{chart}.v{load['revision']}"
            metadata: Properties = {"name": name, "namespace": inputs["namespace"]}
            self.api.delete(self.api.place({"apiVersion": "v1", "kind": "Secret", "metadata": metadata}), _HELM_SECONDS)

    def _kubectl(self) -> Kubectl:
        kubectl = at_hand(KUBECTL)
        if kubectl is None:
            raise RefusedError("kubectl is not built. Change: make tools")
        return Kubectl(kubectl.command, self.control_plane / "kubeconfig")

    def _helm(self, *arguments: str, stdin: str = "") -> str:
        helm = at_hand(HELM)
        if helm is None:
            raise RefusedError("helm is not built. Change: make tools")
        home = self.control_plane / "helm"
        folders = {f"HELM_{kind}_HOME": str(home / kind.lower()) for kind in ("CACHE", "CONFIG", "DATA")}
        folders["KUBECACHEDIR"] = str(home / "discovery")  # else ~/.kube
        ended = subprocess.run(
            [str(helm.command), *arguments, "--kubeconfig", str(self.control_plane / "kubeconfig")],
            input=stdin,
            env={**os.environ, **folders},
            capture_output=True,
            text=True,
            check=False,
        )
        if ended.returncode != 0:
            raise RefusedError(f"helm {arguments[0]}: {ended.stderr.strip()}")
        return ended.stdout

    def _await_karpenter(self, *, runs: bool) -> None:
        def answers() -> bool:
            karpenter = karpenter_in(self.control_plane)
            return karpenter is not None and karpenter.alive()

        if not self.api.wait(lambda: answers() is runs, _KARPENTER_SECONDS):
            what = "does not answer" if runs else "still answers"
            log = self.control_plane / "karpenter.log"
            raise RefusedError(f"Karpenter {what} after {_KARPENTER_SECONDS:g} s; its log is {log}")

    def _await_kueue(self, values: Properties | None) -> None:
        if not self.api.wait(lambda: kueue_in(self.control_plane) == values, _KUEUE_SECONDS):
            what = "still runs" if values is None else "does not answer"
            raise RefusedError(
                f"Kueue {what} after {_KUEUE_SECONDS:g} s; its log is {self.control_plane / 'kueue.log'}"
            )


def _kueue_commands() -> KueueCommands:
    commands = kueue_at_hand()
    if commands is None:
        raise RefusedError("Kueue is not built. Change: make tools")
    return commands


def _folder(chart: str, among: Mapping[str, ModuleFiles]) -> Path:
    folder = files_at_hand(among[chart])
    if folder is None:
        raise RefusedError(f"the files of the chart {chart} are missing. Change: make tools")
    return folder


def chart_of(inputs: Mapping[str, Plain]) -> str:
    """The chart's name, from a repository's chart or a chart's own address."""
    name = str(inputs.get("chart")).rsplit("/", 1)[-1]
    if name not in CHARTS:
        raise RefusedError(f"the standard has no chart {name}; it has {', '.join(CHARTS)}")
    return name


def _outlasts(inputs: Properties) -> bool:
    """Whether helm keeps a chart's CRDs when it uninstalls the chart, because the values annotate them so."""
    annotations = at_path(inputs, "values.crds.annotations")
    return any(
        isinstance(annotation, dict) and annotation.get(keys.HELM_RESOURCE_POLICY) == "keep"
        for annotation in annotations
    )


def _release(inputs: Properties) -> Release:
    values = cast(Properties, inputs.get("values") or {})
    return Release(sheets()[chart_of(inputs)], values, str(inputs["namespace"]))


def _namespace(inputs: Mapping[str, Plain]) -> list[str]:
    return ["--namespace", str(inputs["namespace"])]


def _wait() -> list[str]:
    return ["--wait", "--timeout", f"{_HELM_SECONDS}s"]
