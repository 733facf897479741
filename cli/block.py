"""``gpuplatform block``: what a pod pastes so that it lands on one pool and nowhere else."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from cli.stacks import accepted_settings, stack_options


@click.command()
@stack_options
@click.option("--pool", "wanted", metavar="NAME", required=True, help="A pool of the stack.")
@click.option("--affinity", is_flag=True, help="Write the selection as node affinity instead of a node selector.")
def block(stack: str | None, settings: Path | None, wanted: str, affinity: bool) -> None:
    """Print the selector, tolerations and resources of POOL as part of a pod's spec."""
    from gpuplatform.render.block import block as block_of  # noqa: PLC0415
    from gpuplatform.render.document import as_yaml  # noqa: PLC0415

    accepted, _ = accepted_settings(stack, settings)
    pool = next((each for each in accepted.pools if each.name == wanted), None)
    if pool is None:
        known = ", ".join(each.name for each in accepted.pools)
        click.echo(
            f"--pool: given {wanted!r}; allowed: a pool of the stack: {known}. Change: name one of those", err=True
        )
        sys.exit(1)
    pasted = block_of(pool)
    fragment = pasted.as_pod_fragment()
    if affinity:
        fragment.pop("nodeSelector")
        fragment = {"affinity": pasted.as_affinity(), **fragment}
    click.echo(as_yaml(fragment), nl=False)
