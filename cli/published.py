"""What a change of settings would do to labels that the running stack has published: they are fixed (L5)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import cast

import click

from gpuplatform.faults import Fault
from gpuplatform.outputs import OUTPUT_NAME, NodePoolOutput, PlatformOutputs, parse
from gpuplatform.settings.plan import plan
from gpuplatform.settings.settings import Settings
from policies.rules.fixed import GPU_LABELS_FIXED
from policies.subject import Subject, of_document


def published_outputs(stack: str | None, file: Path | None) -> PlatformOutputs | None:
    """The document that was given, or that the stack on this machine published; None where there is none.

    Wrong usage (exit code 2) where a given file is no such document.
    """
    if file is None:
        return None if stack is None else _on_this_machine(stack)
    try:
        plain = cast("object", json.loads(file.read_bytes()))
    except (OSError, ValueError) as error:
        raise click.UsageError(f"--published {file}: {error}; write it with {_COMMAND} > FILE") from None
    outputs, faults = parse(cast("Mapping[str, object]", plain), str(file)) if isinstance(plain, dict) else (None, [])
    if outputs is None:
        why = "; ".join(map(str, faults)) or "no document of the platform"
        raise click.UsageError(f"--published {file}: {why}; write it with {_COMMAND} > FILE")
    return outputs


def label_changes(outputs: PlatformOutputs, settings: Settings) -> list[Fault]:
    """The labels of NodePools that are published and would change."""
    now = {each.name: each.labels for each in plan(settings.pools, settings.network.zones)}
    return [
        Fault(f"pools ({each.name}): {fault.path}", fault.given, fault.allowed, fault.change)
        for pool in outputs.pools
        for each in pool.node_pools
        if each.name in now
        for fault in GPU_LABELS_FIXED.judge(_subject(each), _subject(each, now[each.name]))
    ]


_COMMAND = f"`pulumi stack output {OUTPUT_NAME} --json`"


def _on_this_machine(stack: str) -> PlatformOutputs | None:
    from sandbox.engine.published import published  # noqa: PLC0415

    plain = published(stack, OUTPUT_NAME)
    return parse(cast("Mapping[str, object]", plain))[0] if isinstance(plain, dict) else None


def _subject(node_pool: NodePoolOutput, labels: Mapping[str, str] | None = None) -> Subject:
    template = {"metadata": {"labels": dict(node_pool.labels if labels is None else labels)}}
    return of_document(
        {
            "apiVersion": "karpenter.sh/v1",
            "kind": "NodePool",
            "metadata": {"name": node_pool.name},
            "spec": {"template": template},
        }
    )
