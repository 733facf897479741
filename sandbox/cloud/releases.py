"""Helm releases on a real API server: real charts by real helm where they can be had, else what would be missed.

Every release's pods stand in the cluster, where the real scheduler puts them. Karpenter's chart is installed whole; the
pods of a chart that is not to be had are made from its fact sheet. They do nothing: Karpenter's and Kueue's processes
run beside the control plane, and of the GPU Operator its stand-in's documents are applied.
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
from sandbox.cloud.api import Api, Place
from sandbox.cloud.references import at_path
from sandbox.cloud.refusals import RefusedError
from sandbox.cloud.release_pods import ReleasePods
from sandbox.cloud.rollout import Rollout
from sandbox.cloud.workloads import Release
from sandbox.cloud.world import Plain, Properties
from sandbox.control_plane.crds import install_crds
from sandbox.control_plane.karpenter import karpenter_in
from sandbox.control_plane.kubectl import Kubectl
from sandbox.control_plane.kueue import KueueCommands, kueue_at_hand, kueue_in, remove_kueue
from sandbox.operator import operator_documents
from sandbox.session.folder import want
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
"""Charts that are not to be had, and whose definitions other objects of the stack are of."""


class Served(enum.StrEnum):
    """How a release is served here."""

    HELM = "installed by helm"
    PROCESS = "installed by helm; its process runs beside the control plane"
    STAND_IN = "its pods, and what it would make of the nodes' cards"
    RENDERED = "its pods; its process runs beside the control plane, with what helm renders of its chart"
    DEFINITIONS = "its definitions, and pods where it has any"
    PODS = "its pods"
    ABSENT = "not installed: nothing is known of its pods"


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
        """Install, or upgrade from the inputs of before; RefusedError with helm's words, or the scheduler's."""
        chart, values = chart_of(inputs), cast(Properties, inputs.get("values") or {})
        if chart in _CHARTS:
            self._helm_install(chart, inputs, values, earlier)
        elif chart in sheets():
            self._pods().install(_release(inputs), None if earlier is None else _release(earlier))
        if chart in _DEFINITIONS:
            install_crds(self._kubectl(), _folder(chart, _DEFINITIONS))
        if chart == _KARPENTER:
            want(self.control_plane, _KARPENTER, values)
            self._await_karpenter(runs=True)
        if chart == _KUEUE:
            want(self.control_plane, _KUEUE, values)
            self._await_kueue(values)
        if chart == _OPERATOR:
            for each in self._operator(inputs):
                self.api.apply(cast(Properties, each))

    def uninstall(self, inputs: Properties) -> None:
        """Uninstall; what is gone already is as good."""
        chart = chart_of(inputs)
        if chart == _KARPENTER:
            want(self.control_plane, _KARPENTER, None)
            self._await_karpenter(runs=False)
        if chart == _KUEUE:
            remove_kueue(self._kubectl(), _kueue_commands(), cast(Properties, inputs.get("values") or {}))
            want(self.control_plane, _KUEUE, None)
            self._await_kueue(None)
        if chart in _CHARTS:
            self._helm("uninstall", chart, *_namespace(inputs), "--ignore-not-found", *_wait())
        elif chart in sheets():
            self._pods().uninstall(_release(inputs))
        if chart in _DEFINITIONS and not _outlasts(inputs):
            gone = self._kubectl()("delete", "--ignore-not-found", "-f", str(_folder(chart, _DEFINITIONS)))
            if not gone.ok:
                raise RefusedError(f"the definitions of {chart} stay: {gone.err.strip()}")
        if chart == _OPERATOR:
            for each in self._operator(inputs):
                self.api.delete(self.api.place(cast(Properties, each)), _HELM_SECONDS)

    def _operator(self, inputs: Properties) -> tuple[Document, ...]:
        values = cast(Mapping[str, object], inputs.get("values") or {})
        return operator_documents(values, str(inputs["namespace"]))

    def _pods(self) -> ReleasePods:
        return ReleasePods(self.api)

    def _helm_install(self, chart: str, inputs: Properties, values: Properties, earlier: Properties | None) -> None:
        folder = _folder(chart, _CHARTS)
        self._forget_interrupted(chart, inputs)
        flags = ["--skip-crds"] if inputs.get("skipCrds") else []
        # Helm reads values from its standard input where the file is called so. It would wait for the pods, and not
        # say why they have no node.
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

    def _rendered(self, inputs: Properties) -> list[Place]:
        """The Deployments of a release that helm itself installed: no chart of these has pods of another kind."""
        path = f"/apis/apps/v1/namespaces/{inputs['namespace']}/deployments"
        found = self.api.items(path, labelSelector=f"app.kubernetes.io/instance={chart_of(inputs)}")
        return [Place(f"{path}/{cast(Properties, each['metadata'])['name']}") for each in found]

    def _forget_interrupted(self, chart: str, inputs: Properties) -> None:
        """Helm refuses to work on a release that a killed helm left in the middle: its record of that goes."""
        listed = self._helm("list", "--pending", "--output", "json", *_namespace(inputs), "--filter", f"^{chart}$")
        for each in cast(list[dict[str, str]], json.loads(listed or "[]")):
            name = f"sh.helm.release.v1.{chart}.v{each['revision']}"
            metadata: Properties = {"name": name, "namespace": inputs["namespace"]}
            self.api.delete(self.api.place({"apiVersion": "v1", "kind": "Secret", "metadata": metadata}), _HELM_SECONDS)

    def _kubectl(self) -> Kubectl:
        kubectl = at_hand(KUBECTL)
        if kubectl is None:
            raise RefusedError("kubectl is not there: make tools")
        return Kubectl(kubectl.command, self.control_plane / "kubeconfig")

    def _helm(self, *arguments: str, stdin: str = "") -> str:
        helm = at_hand(HELM)
        if helm is None:
            raise RefusedError("helm is not there: make tools")
        home = self.control_plane / "helm"
        folders = {f"HELM_{each}_HOME": str(home / each.lower()) for each in ("CACHE", "CONFIG", "DATA")}
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
            found = karpenter_in(self.control_plane)
            return found is not None and found.alive()

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
        raise RefusedError("kueue is not there: make tools")
    return commands


def _folder(chart: str, among: Mapping[str, ModuleFiles]) -> Path:
    folder = files_at_hand(among[chart])
    if folder is None:
        raise RefusedError(f"the files of {chart} are not there: make tools")
    return folder


def chart_of(inputs: Mapping[str, Plain]) -> str:
    """The chart's name, from a repository's chart or a chart's own address."""
    name = str(inputs.get("chart")).rsplit("/", 1)[-1]
    if name not in CHARTS:
        raise RefusedError(f"the chart {name} is not one of the standard: {', '.join(CHARTS)}")
    return name


def _outlasts(inputs: Properties) -> bool:
    """Whether helm leaves a chart's definitions when it uninstalls the chart: its values annotate them so."""
    annotations = at_path(inputs, "values.crds.annotations")
    return any(isinstance(each, dict) and each.get(keys.HELM_RESOURCE_POLICY) == "keep" for each in annotations)


def _release(inputs: Properties) -> Release:
    values = cast(Properties, inputs.get("values") or {})
    return Release(sheets()[chart_of(inputs)], values, str(inputs["namespace"]))


def _namespace(inputs: Mapping[str, Plain]) -> list[str]:
    return ["--namespace", str(inputs["namespace"])]


def _wait() -> list[str]:
    return ["--wait", "--timeout", f"{_HELM_SECONDS}s"]
