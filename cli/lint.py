"""``gpuplatform lint``: checks manifests against the policy rules, in a pull request or from a pipe."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from cli.stacks import accepted_settings, stack_options
from gpuplatform.analysis.placement.view import StackView
from policies.lint.judging import LintResult, Source, read
from policies.lint.judging import lint as judge

if TYPE_CHECKING:
    from gpuplatform.settings.settings import Settings

_PIPE = "-"
_ENDINGS = (".yaml", ".yml")
_FORMATS = ("text", "json", "sarif", "github")


@click.command()
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@stack_options
@click.option("--format", "output", type=click.Choice(_FORMATS), default="text", show_default=True)
def lint(paths: tuple[str, ...], stack: str | None, settings: Path | None, output: str) -> None:
    """Check Kubernetes objects in files, directories or standard input (PATH -) against the policy rules.

    With a stack, pods are also checked against its pools and namespaces.

    Exit code: 0 no findings, 1 findings, 2 wrong usage.
    """
    missing_paths = [path for path in paths if path != _PIPE and not Path(path).exists()]
    if missing_paths:
        raise click.UsageError(f"no such file or directory: {', '.join(missing_paths)}")
    no_stack = stack is None and settings is None
    view = None if no_stack else stack_view_of(accepted_settings(stack, settings))
    result = judge(sources(paths), view)
    click.echo(_as_format(result, output))
    sys.exit(1 if result.findings else 0)


def stack_view_of(settings: Settings) -> StackView:
    """A stack as the placement analysis sees it."""
    from gpuplatform.analysis.placement.stack import stack_view  # noqa: PLC0415

    return stack_view(settings)


def sources(paths: tuple[str, ...]) -> Iterator[Source]:
    """Each named file, the manifests below each named directory, and standard input for ``-``."""
    for name in dict.fromkeys(paths):
        if name == _PIPE:
            yield Source(_PIPE, sys.stdin.buffer.read(), named=True)
        elif Path(name).is_dir():
            for path in _manifests(Path(name)):
                yield read(path, path.as_posix())
        else:
            yield read(Path(name), Path(name).as_posix(), named=True)


def _manifests(directory: Path) -> list[Path]:
    """Every YAML file below a directory, in order, without the folder ``.git``."""
    manifests: list[Path] = []
    for folder, folders, files in os.walk(directory):
        folders[:] = sorted(name for name in folders if name != ".git")
        manifests += [Path(folder, name) for name in sorted(files) if name.endswith(_ENDINGS)]
    return manifests


def _as_format(result: LintResult, output: str) -> str:
    from policies.lint.output import as_github, as_json, as_text  # noqa: PLC0415
    from policies.lint.sarif import as_sarif  # noqa: PLC0415

    return {"text": as_text, "json": as_json, "sarif": as_sarif, "github": as_github}[output](result)
