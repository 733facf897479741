"""An earlier stack for a comparison: described by its own code if it has any, else by the current code."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass

from pydantic import ValidationError

from cli.comparison.source import COMPONENTS, Source
from gpuplatform.accept import check_file, valid_part
from gpuplatform.changes import describing
from gpuplatform.changes.comparison import Stack, stack_of
from gpuplatform.changes.description import Description, parse
from gpuplatform.faults import errors

_LONGEST_SECONDS = 120
"""A revision describes a stack in about two seconds."""


@dataclass(frozen=True, slots=True)
class Earlier:
    """The earlier side of a comparison, with notes for the reader."""

    stack: Stack | None
    """None if it cannot be read at all."""
    notes: tuple[str, ...]
    unknown: tuple[str, ...]
    """The parts that are not known, and why."""


class _UndescribedError(Exception):
    """The revision's own code gives no description; the message is the reason."""


def earlier_stack(source: Source) -> Earlier:
    """The earlier stack, as far as it can be read."""
    notes = [source.note] if source.note else []
    loaded = check_file(source.file)
    if faults := errors(loaded.faults):
        paths = ", ".join(dict.fromkeys(fault.path for fault in faults))
        notes.append(f"today's code refuses the earlier settings ({paths}); only their valid parts are compared")
    settings, left_out = valid_part(loaded)
    unknown = [f"parts of the earlier settings that cannot be read: {', '.join(left_out)}"] if left_out else []
    stack = None if settings is None else stack_of(settings)
    if source.is_revision:
        try:
            stack = Stack(_own_description(source), stack.settings if stack else None)
            unknown += _other_components(source)
        except _UndescribedError as why:
            unknown.append(f"pins of {source.name} cannot be read: {why}; only the settings are compared")
    return Earlier(stack, tuple(notes), tuple(unknown))


def _other_components(source: Source) -> list[str]:
    """A note that AWS resources are not compared if the code that makes them has changed."""
    if source.same_components:
        return []
    paths = ", ".join(COMPONENTS)
    return [f"AWS resources are not compared: {paths} differ from those of {source.name}; see `pulumi preview --diff`"]


def _own_description(source: Source) -> Description:
    """The description that the revision's own code gives of its stack, from a separate process."""
    if source.tree is None:
        raise _UndescribedError("it has no program beside the stack file")
    assert describing.__file__ is not None
    try:
        process = subprocess.run(
            # -P: the script's own folder holds the current package, which must not be imported.
            [sys.executable, "-P", describing.__file__, str(source.file)],
            cwd=source.tree,
            env={**os.environ, "PYTHONPATH": str(source.tree), "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            text=True,
            timeout=_LONGEST_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise _UndescribedError(f"its own code did not answer within {_LONGEST_SECONDS} s") from None
    if process.returncode:
        lines = process.stderr.strip().splitlines()
        why = lines[-1].replace(f"{source.tree}/", "") if lines else f"its own code ended with {process.returncode}"
        raise _UndescribedError(why)
    try:
        return parse(json.loads(process.stdout.replace(f"{source.tree}/", "")))
    except (ValueError, ValidationError) as error:
        raise _UndescribedError(f"its own code prints another format: {str(error).splitlines()[0]}") from None
