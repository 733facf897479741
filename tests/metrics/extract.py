"""``python -m tests.metrics.extract``: the series that each exporter makes, read from its pinned source, as lists.

Karpenter's and Kueue's modules come from the Go module proxy. kube-state-metrics is on no proxy that serves it in
source: give a checkout of its repository, ``python -m tests.metrics.extract --kube-state-metrics FOLDER``.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

LISTS = Path(__file__).parent / "series"
_OPTIONS = re.compile(r"(Counter|Gauge|Histogram|Summary)Opts\{(.*?)\n\t+\}", re.DOTALL)
_CONSTANT = re.compile(r'\b(\w+)(?:\s+string)?\s*=\s*"([a-z_]+)"')
_SUFFIXES = {"Histogram": ("_bucket", "_count", "_sum"), "Summary": ("", "_count", "_sum")}
_OBJECTS = ("nodeclaim", "nodepool", "node")
"""Kinds of which Karpenter reports conditions (v1.14.1, pkg/controllers/controllers.go)."""


@dataclass(frozen=True, slots=True)
class Source:
    """Where an exporter's metrics are written down."""

    name: str
    modules: tuple[tuple[str, str], ...]
    """Module and version, and the folder inside it."""


_CONDITIONS = "github.com/awslabs/operatorpkg@v0.0.0-20260708223819-4da4c353c5fa"
"""What Karpenter v1.14.1's go.mod asks for."""
SOURCES = (
    Source(
        "karpenter",
        (("sigs.k8s.io/karpenter@v1.14.1", "pkg"), ("github.com/aws/karpenter-provider-aws@v1.14.1", "pkg")),
    ),
    Source("karpenter-conditions", ((_CONDITIONS, "status"), (_CONDITIONS, "metrics"))),
    Source("kueue", (("sigs.k8s.io/kueue@v0.19.2", "pkg/metrics"), ("sigs.k8s.io/kueue@v0.19.2", "pkg/constants"))),
)


def series_in(folders: Iterable[Path]) -> set[str]:
    """Every series whose name the Go files of these folders spell out."""
    texts = [
        (path.parent.name, path.read_text(encoding="utf-8", errors="ignore"))
        for folder in folders
        for path in sorted(folder.rglob("*.go"))
        if not path.name.endswith("_test.go")
    ]
    constants = {(package, name): value for package, text in texts for name, value in _CONSTANT.findall(text)}
    names: set[str] = set()
    for package, text in texts:
        for kind, body in _OPTIONS.findall(text):
            parts = [_value(body, field, package, constants) for field in ("Namespace", "Subsystem", "Name")]
            if None not in parts:
                whole = "_".join(part for part in parts if part)
                names |= {whole + suffix for suffix in _SUFFIXES.get(kind, ("",))}
    return names


def of_conditions(names: set[str]) -> set[str]:
    """The generic series of conditions, repeated for each kind as the library names them."""
    generic = {name for name in names if name.startswith("operator_status_condition")}
    return {name.replace("operator_", f"operator_{kind}_", 1) for name in generic for kind in _OBJECTS}


def _value(body: str, field: str, package: str, constants: dict[tuple[str, str], str]) -> str | None:
    """A part of a name: a text, or a constant of its own package or of one that is imported, under any alias."""
    written = re.search(rf"{field}:\s*([^,\n]+)", body)
    if written is None:
        return ""
    value = written[1].strip()
    if value == "subsystem":  # operatorpkg: chosen by the kind, see of_conditions
        return "status_condition"
    if value.startswith('"'):
        return value.strip('"')
    alias, _, name = value.rpartition(".")
    origin = alias or package
    return next((text for (of, named), text in constants.items() if named == name and origin.endswith(of)), None)


def _module(module: str) -> Path:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "go.mod").write_text("module extract\n", encoding="utf-8")
        download = subprocess.run(
            ["go", "mod", "download", "-json", module], cwd=folder, capture_output=True, text=True, check=True
        )
    folder_line = re.search(r'"Dir": "([^"]+)"', download.stdout)
    assert folder_line is not None, download.stdout
    return Path(folder_line[1])


def _write(name: str, sources: Iterable[str], series: set[str]) -> None:
    head = "".join(f"# {source}\n" for source in sources)
    (LISTS / f"{name}.txt").write_text(
        head + "".join(f"{series_name}\n" for series_name in sorted(series)), encoding="utf-8"
    )
    print(f"{name}: {len(series)} series")


def main(arguments: list[str]) -> None:
    """Write the lists."""
    for source in SOURCES:
        names = series_in(_module(module) / inside for module, inside in source.modules)
        _write(source.name, (f"{module} {inside}" for module, inside in source.modules), names | of_conditions(names))
    if arguments[:1] == ["--kube-state-metrics"]:
        checkout = Path(arguments[1])
        text = "".join(path.read_text(encoding="utf-8") for path in sorted((checkout / "internal/store").glob("*.go")))
        names = set(re.findall(r'"(kube_[a-z_]+)"', text))
        _write("kube-state-metrics", ("kubernetes/kube-state-metrics v2.20.0 internal/store",), names)


if __name__ == "__main__":
    main(sys.argv[1:])
