"""``gpuplatform block``: the YAML to paste into a pod so that it lands on one pool only."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from cli.stacks import accepted_settings, stack_options


@click.command()
@stack_options
@click.option("--pool", "pool_name", metavar="NAME", required=True, help="A pool of the stack.")
@click.option("--affinity", is_flag=True, help="Write the selection as node affinity instead of a node selector.")
def block(stack: str | None, settings: Path | None, pool_name: str, affinity: bool) -> None:
    """Print the YAML to paste into a pod's spec: the selector, tolerations and resources of a pool."""
    from gpuplatform.render.block import block as block_of  # noqa: PLC0415
    from gpuplatform.render.document import as_yaml  # noqa: PLC0415

    stack_settings = accepted_settings(stack, settings)
    pool = next((pool for pool in stack_settings.pools if pool.name == pool_name), None)
    if pool is None:
        pool_names = ", ".join(pool.name for pool in stack_settings.pools)
        click.echo(
            f"--pool: given {pool_name!r}; allowed: a pool of the stack: {pool_names}. Change: name one of those",
            err=True,
        )
        sys.exit(1)
    pasted = block_of(pool)
    fragment = pasted.as_pod_fragment()
    if affinity:
        fragment.pop("nodeSelector")
        fragment = {"affinity": pasted.as_affinity(), **fragment}
    click.echo(as_yaml(fragment), nl=False)
