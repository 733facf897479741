"""Reads the output of the running stack, for `check`: from a file, or from its state on this machine."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import cast

import click

from gpuplatform.outputs import OUTPUT_NAME, PlatformOutputs, parse


def published_outputs(stack: str | None, file: Path | None) -> PlatformOutputs | None:
    """The document in the given file, or the one that the stack on this machine published; None if there is none.

    Wrong usage (exit code 2) if the file is not such a document.
    """
    if file is None:
        return None if stack is None else _on_this_machine(stack)
    try:
        plain = cast("object", json.loads(file.read_bytes()))
    except (OSError, ValueError) as error:
        raise click.UsageError(f"--published {file}: {error}; write it with {_COMMAND} > FILE") from None
    outputs, faults = parse(cast("Mapping[str, object]", plain), str(file)) if isinstance(plain, dict) else (None, [])
    if outputs is None:
        why = "; ".join(map(str, faults)) or "not a document that the platform publishes"
        raise click.UsageError(f"--published {file}: {why}; write it with {_COMMAND} > FILE")
    return outputs


_COMMAND = f"`pulumi stack output {OUTPUT_NAME} --json`"


def _on_this_machine(stack: str) -> PlatformOutputs | None:
    from sandbox.engine.published import stack_output  # noqa: PLC0415

    plain = stack_output(stack, OUTPUT_NAME)
    return parse(cast("Mapping[str, object]", plain))[0] if isinstance(plain, dict) else None
