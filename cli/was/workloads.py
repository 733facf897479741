"""The pods of the manifests below a path, as a comparison takes them."""

from __future__ import annotations

from pathlib import Path

import click

from cli.lint import sources
from cli.stacks import PROJECT
from gpuplatform.changes.stranded import Manifest
from policies.lint.judging import objects_of
from policies.pod import ask
from policies.workloads import pod_templates


def default_workloads() -> Path:
    """The repository's own examples, named as from the working directory where that is the repository."""
    examples = Path("examples")
    return examples if Path.cwd() == PROJECT else PROJECT / examples


def manifests(path: Path) -> list[Manifest]:
    """Every pod whose demands can be read; what is no manifest is left alone. Wrong usage where nothing is there."""
    if not path.exists():
        raise click.UsageError(f"--workloads {path}: no such file or directory")
    return [
        Manifest(source.name, f"{subject.kind} {'/'.join(filter(None, (subject.namespace, subject.name)))}", asked)
        for source in sources((str(path),))
        for subject in objects_of(source)[0]
        for pod in pod_templates(subject)
        if (asked := ask(pod)) is not None
    ]
