"""Settings as a whole: read, judged, and refused with every reason at once (E11)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from gpuplatform.faults import Fault, errors
from gpuplatform.settings import draft as drafts
from gpuplatform.settings import judges, source
from gpuplatform.settings.draft import Draft
from gpuplatform.settings.settings import Settings
from gpuplatform.settings.source import Plain

_ITEM = re.compile(r"\[\d+\]$")


@dataclass(frozen=True, slots=True)
class Loaded:
    """What became of a settings object."""

    settings: Settings | None
    """The settings, where nothing refuses them."""
    draft: Draft | None
    """The parts that could be read, for further judges; None where nothing could be read at all."""
    faults: tuple[Fault, ...]
    """Errors and warnings, in the order of the file, then judge by judge."""


def load_file(path: Path) -> Loaded:
    """Read and judge a ``Pulumi.<stack>.yaml``, or a file that holds the settings object alone."""
    raw, faults = source.read(path)
    return Loaded(None, None, tuple(faults)) if faults else examine(raw)


def salvaged_file(path: Path) -> tuple[Settings | None, tuple[str, ...]]:
    """What can be read of a stack file that may be refused, and the paths of what is left out of it."""
    raw, faults = source.read(path)
    if faults or not isinstance(raw, dict) or source.unreasonable(raw) is not None:
        return None, ()
    return drafts.salvaged(raw)


def examine(raw: object) -> Loaded:
    """Judge a settings object as plain data, as a YAML file or the engine's configuration gives it."""
    if not isinstance(raw, dict):
        given = "nothing" if raw is None else f"a {type(raw).__name__}"
        return Loaded(None, None, (Fault(source.SETTINGS_KEY, given, "a mapping", "write the stack's settings"),))
    if (why := source.unreasonable(cast(Plain, raw))) is not None:
        return Loaded(None, None, (Fault(source.SETTINGS_KEY, why, "a stack's settings", "write less of it"),))
    settings, draft, faults = drafts.read(cast(dict[str, Plain], raw))
    # What was taken out as wrong is not missed a second time, nor is a list judged without its wrong items.
    said = {each for fault in faults for each in (fault.path, _ITEM.sub("", fault.path))}
    faults += [fault for fault in judges.judge(draft) if fault.path not in said]
    return Loaded(None if errors(faults) else settings, draft, tuple(faults))
