"""The pods of the manifests below a path, for a comparison."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import click

from cli.lint import sources
from cli.stacks import PROJECT
from gpuplatform.changes.stranded import Manifest
from policies.lint.judging import objects_of
from policies.pod import ask
from policies.workloads import pod_templates


def default_workloads() -> Path:
    """The repository's own examples, relative if the working directory is the repository."""
    examples = Path("examples")
    return examples if Path.cwd() == PROJECT else PROJECT / examples


@dataclass(frozen=True, slots=True)
class Workloads:
    """The manifests that a comparison places on the pools before and after."""

    manifests: tuple[Manifest, ...]
    unknown: tuple[str, ...]
    """The parts of the files that cannot be read, and why."""


def workloads_of(path: Path) -> Workloads:
    """Every pod of the manifests below a path, which must exist; a file without pods is ignored."""
    if not path.exists():
        raise click.UsageError(f"--workloads {path}: no such file or directory")
    manifests: list[Manifest] = []
    unknown: list[str] = []
    for source in sources((str(path),)):
        subjects, unreadable = objects_of(source)
        unknown += [f"workloads of {source.name}: {fault.path}: {fault.given}" for fault in unreadable]
        for subject, pod in ((workload, pod) for workload in subjects for pod in pod_templates(workload)):
            name = f"{subject.kind} {'/'.join(filter(None, (subject.namespace, subject.name)))}"
            pod_ask = ask(pod)
            if pod_ask is None:
                unknown.append(f"the placement of {source.name}: {name}: a resource quantity is invalid")
            else:
                manifests.append(Manifest(source.name, name, pod_ask))
    return Workloads(tuple(manifests), tuple(unknown))
