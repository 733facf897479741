"""Files from public Go modules that are used here unchanged: they are fetched once and never committed."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from sandbox.tools.cache import only_one, publish, tools_folder, workshop
from sandbox.tools.child import log_tail, run_child, unavailable
from sandbox.tools.go import Go, go_in
from sandbox.tools.table import KUEUE, TRAINING_OPERATOR, Tier

_LIMIT_SECONDS = 900.0


@dataclass(frozen=True, slots=True)
class ModuleFiles:
    """One folder of a module."""

    name: str
    module: str
    version: str
    inside: str
    """The folder inside the module."""
    needed_by: Tier

    @property
    def folder(self) -> str:
        """The folder of the copy in the cache."""
        return f"{self.name}-{self.version}"


KARPENTER_CRDS = ModuleFiles(
    name="karpenter-crds",
    # AWS's copies of the CRDs have rules about AWS label keys that the core's copies of the same kinds lack.
    module="github.com/aws/karpenter-provider-aws",
    version="v1.14.1",
    inside="pkg/apis/crds",
    needed_by=Tier.CLUSTER,
)

PROMETHEUS_CRDS = ModuleFiles(
    name="prometheus-crds",
    module="github.com/prometheus-operator/prometheus-operator",
    # The charts prometheus-operator-crds 31.0.1 and kube-prometheus-stack 88.5.3 contain this release.
    version="v0.93.1",
    inside="example/prometheus-operator-crd",
    needed_by=Tier.CLUSTER,
)
KEDA_CRDS = ModuleFiles(
    name="keda-crds",
    module="github.com/kedacore/keda/v2",
    version="v2.20.2",
    inside="config/crd/bases",
    needed_by=Tier.CLUSTER,
)
KUEUE_CRDS = ModuleFiles(
    name="kueue-crds",
    module=KUEUE.module,
    version=KUEUE.version,
    inside="config/components/crd/bases",
    needed_by=Tier.CLUSTER,
)
CHART_CRDS: tuple[ModuleFiles, ...] = (PROMETHEUS_CRDS, KEDA_CRDS, KUEUE_CRDS)
"""CRDs that charts bring and that other objects of a stack need."""

KWOK_POD_STAGES = ModuleFiles(
    name="kwok-pod-stages",
    module="sigs.k8s.io/kwok",
    version="v0.7.0",
    inside="kustomize/stage/pod/fast",
    needed_by=Tier.PLACEMENT,
)


def _karpenter_chart(name: str) -> ModuleFiles:
    return ModuleFiles(
        name=f"{name}-chart",
        module=KARPENTER_CRDS.module,
        version=KARPENTER_CRDS.version,
        inside=f"charts/{name}",
        needed_by=Tier.PLACEMENT,
    )


KARPENTER_CHART = _karpenter_chart("karpenter")
KARPENTER_CRD_CHART = _karpenter_chart("karpenter-crd")
KUEUE_CHART = ModuleFiles(
    name="kueue-chart",
    module=KUEUE.module,
    version=KUEUE.version,
    inside="charts/kueue",
    needed_by=Tier.PLACEMENT,
)
TRAINING_OPERATOR_MANIFESTS = ModuleFiles(
    name="training-operator-manifests",
    module=TRAINING_OPERATOR.module,
    version=TRAINING_OPERATOR.version,
    inside="manifests/base",
    needed_by=Tier.PLACEMENT,
)

SARIF_SCHEMA = ModuleFiles(
    name="sarif-schema",
    # The whole OASIS schema, errata 01, is a constant in a Go file.
    module="github.com/owenrumney/go-sarif/v3",
    version="v3.3.1",
    inside="pkg/report/v210/sarif",
    needed_by=Tier.CLUSTER,
)

MODULE_FILES: tuple[ModuleFiles, ...] = (
    KARPENTER_CRDS,
    *CHART_CRDS,
    KWOK_POD_STAGES,
    KARPENTER_CHART,
    KARPENTER_CRD_CHART,
    KUEUE_CHART,
    TRAINING_OPERATOR_MANIFESTS,
    SARIF_SCHEMA,
)


def files_at_hand(row: ModuleFiles) -> Path | None:
    """The folder of an earlier fetch; nothing is fetched."""
    folder = tools_folder() / row.folder
    return folder if folder.is_dir() else None


def fetch_files(row: ModuleFiles, out: TextIO, go: Go | None = None) -> Path:
    """The folder, fetched if necessary. Raises ``ToolUnavailableError`` with the whole report."""
    with only_one(row.name, out):
        folder = files_at_hand(row) or _fetch(row, out, go)
    if isinstance(folder, str):
        supply = "To supply it: let Go reach a module proxy (GOPROXY), directly or through HTTPS_PROXY."
        raise unavailable(row.name, [folder], supply)
    return folder


def _fetch(row: ModuleFiles, out: TextIO, shared_go: Go | None) -> Path | str:
    module_version = f"{row.module}@{row.version}"
    with workshop(row.name) as folder:
        log = folder / "fetch.log"
        go = shared_go or go_in(folder, log, out)
        if isinstance(go, str):
            return go
        result = run_child(
            [str(go.command), "mod", "download", module_version],
            what=f"{row.name}: downloading {module_version}",
            log=log,
            cwd=folder,
            env=go.environment(),
            limit_seconds=_LIMIT_SECONDS,
            out=out,
        )
        if not result.ok:
            return f"downloading {module_version} {result.in_words()}{log_tail(log)}"
        module = go.of_module("Dir", module_version, folder)
        if module is None or not (module / row.inside).is_dir():
            return f"{module_version} has no folder {row.inside}"
        return publish(_copy(module / row.inside, folder / "finished"), row.folder)


def _copy(source: Path, target: Path) -> Path:
    """A writable copy: the files of a module cache are read-only."""
    for path in sorted(source.rglob("*")):
        if path.is_file():
            copy = target / path.relative_to(source)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, copy)
    return target
