"""``gpuplatform render``: every document and chart value of a stack, as files."""

from __future__ import annotations

from pathlib import Path

import click

from cli.stacks import accepted_settings, stack_options


@click.command()
@stack_options
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), required=True, help="Folder to write into.")
def render(stack: str | None, settings: Path | None, out: Path) -> None:
    """Write every Kubernetes object to its own file, and each chart's values to values.CHART.yaml."""
    from gpuplatform.analysis.placement.stack import stack_view  # noqa: PLC0415
    from gpuplatform.render.document import as_yaml, file_names  # noqa: PLC0415
    from gpuplatform.render.stack import render as render_stack  # noqa: PLC0415
    from policies.admission.documents import admission_documents  # noqa: PLC0415

    stack_settings = accepted_settings(stack, settings)
    stack_documents = render_stack(stack_settings)
    admission = admission_documents(stack_view(stack_settings), stack_settings.admission)
    documents = (*stack_documents.documents, *admission)
    files = {name: as_yaml(document) for name, document in file_names(documents).items()}
    files |= {f"values.{chart}.yaml": as_yaml(values) for chart, values in stack_documents.values.items()}
    try:
        out.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            (out / name).write_text(text, encoding="utf-8")
    except OSError as error:
        raise click.ClickException(f"{out} cannot be written: {error.strerror}; choose another folder") from None
    click.echo(f"{len(files)} files in {out}")
