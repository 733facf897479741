"""An earlier stack as a comparison takes it: described by its own code where it has some, else by the code of today."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass

from pydantic import ValidationError

from cli.was.source import COMPONENTS, Source
from gpuplatform.accept import check_file
from gpuplatform.changes import describing
from gpuplatform.changes.comparison import Stack, stack_of
from gpuplatform.changes.description import Description, parse
from gpuplatform.faults import errors
from gpuplatform.settings.load import salvaged_file

_LONGEST_SECONDS = 120
"""A revision describes a stack in about two seconds."""


@dataclass(frozen=True, slots=True)
class Earlier:
    """The earlier side and what the reader has to know of it."""

    stack: Stack | None
    """None where nothing of it can be read."""
    notes: tuple[str, ...]
    unknown: tuple[str, ...]
    """What of it cannot be known, and why."""


class _UndescribedError(Exception):
    """A revision's own code gives no description; the message is the reason, in one line."""


def earlier_stack(source: Source) -> Earlier:
    """The earlier stack, as far as it can be had."""
    notes = [source.note] if source.note else []
    refused = errors(check_file(source.file).faults)
    if refused:
        places = ", ".join(dict.fromkeys(fault.path for fault in refused))
        notes.append(f"the earlier settings are refused by today's code ({places}): compared as far as they go")
    settings, left_out = salvaged_file(source.file)
    unknown = [f"of the earlier settings, because they cannot be read: {', '.join(left_out)}"] if left_out else []
    stack = None if settings is None else stack_of(settings)
    if source.is_revision:
        try:
            stack = Stack(_own_description(source), stack.settings if stack else None)
            unknown += _other_components(source)
        except _UndescribedError as why:
            unknown.append(f"pins of {source.name} cannot be read: {why}; compared by settings alone")
    return Earlier(stack, tuple(notes), tuple(unknown))


def _other_components(source: Source) -> list[str]:
    """What no description holds: AWS resources that other code makes from the same settings."""
    if source.same_components:
        return []
    paths = ", ".join(COMPONENTS)
    return [f"what other code makes in AWS: {paths} are not those of {source.name}; see `pulumi preview --diff`"]


def _own_description(source: Source) -> Description:
    """What the revision's own code says of its own stack, in a process of its own."""
    if source.tree is None:
        raise _UndescribedError("it has no program beside the stack file")
    assert describing.__file__ is not None
    try:
        answered = subprocess.run(
            # -P: the script's own folder holds the package of today, and must not be looked into.
            [sys.executable, "-P", describing.__file__, str(source.file)],
            cwd=source.tree,
            env={**os.environ, "PYTHONPATH": str(source.tree), "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            text=True,
            timeout=_LONGEST_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise _UndescribedError(f"its own code said nothing in {_LONGEST_SECONDS} s") from None
    if answered.returncode:
        said = answered.stderr.strip().splitlines()
        why = said[-1].replace(f"{source.tree}/", "") if said else f"its own code ended with {answered.returncode}"
        raise _UndescribedError(why)
    try:
        return parse(json.loads(answered.stdout.replace(f"{source.tree}/", "")))
    except (ValueError, ValidationError) as error:
        raise _UndescribedError(f"its own code says something else: {str(error).splitlines()[0]}") from None
