"""The gate for settings: it reads, checks and analyses them, and refuses them with every reason at once."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from gpuplatform import platform_pods
from gpuplatform.analysis import capacity, cost
from gpuplatform.analysis.placement import stack as placement
from gpuplatform.checks import cross_check
from gpuplatform.faults import Fault, errors
from gpuplatform.render import buckets
from gpuplatform.settings import partial, source
from gpuplatform.settings.partial import PartialSettings
from gpuplatform.settings.settings import Settings
from gpuplatform.settings.source import Plain

_ITEM = re.compile(r"\[\d+\]$")


@dataclass(frozen=True, slots=True)
class Loaded:
    """The result of reading and checking a settings object."""

    settings: Settings | None
    """The settings; None where an error refuses them."""
    draft: PartialSettings | None
    """The parts that could be read, for further checks; None where nothing could be read at all."""
    faults: tuple[Fault, ...]
    """Errors and warnings: first those of single fields in the order of the file, then those of each check."""


def load_file(path: Path) -> Loaded:
    """Read and check a ``Pulumi.<stack>.yaml``, or a file that holds nothing but the settings object."""
    raw, faults = source.read(path)
    return Loaded(None, None, tuple(faults)) if faults else examine(raw)


def salvaged_file(path: Path) -> tuple[Settings | None, tuple[str, ...]]:
    """The valid part of a stack file that may be refused, and the paths of the fields that are left out."""
    raw, faults = source.read(path)
    if faults or not isinstance(raw, dict) or source.unreasonable(raw) is not None:
        return None, ()
    return partial.salvaged(raw)


def examine(raw: object) -> Loaded:
    """Check a settings object as plain data, as a YAML file or the engine's configuration gives it."""
    if not isinstance(raw, dict):
        kind = "nothing" if raw is None else f"a {type(raw).__name__}"
        return Loaded(None, None, (Fault(source.SETTINGS_KEY, kind, "a mapping", "write the stack's settings"),))
    if (why := source.unreasonable(cast(Plain, raw))) is not None:
        return Loaded(None, None, (Fault(source.SETTINGS_KEY, why, "a stack's settings", "shorten the settings"),))
    settings, draft, faults = partial.read(cast(dict[str, Plain], raw))
    # A field that is reported as wrong is not reported again as missing, and a list with a wrong item is not checked.
    reported = {path for fault in faults for path in (fault.path, _ITEM.sub("", fault.path))}
    faults += [fault for fault in cross_check(draft) if fault.path not in reported]
    return Loaded(None if errors(faults) else settings, draft, tuple(faults))


class RefusedError(Exception):
    """The settings are refused; the message is the whole report."""

    def __init__(self, faults: tuple[Fault, ...]) -> None:
        self.faults = faults
        super().__init__(report(faults))


def check_file(path: Path) -> Loaded:
    """Every fault of a stack file that can be found before anything is made."""
    return _analysed(load_file(path))


def check(raw: object) -> Loaded:
    """Every fault of a settings object that can be found before anything is made."""
    return _analysed(examine(raw))


def accepted(raw: object) -> Settings:
    """The settings, or RefusedError with every fault."""
    loaded = check(raw)
    if loaded.settings is None:
        raise RefusedError(tuple(errors(loaded.faults)))
    return loaded.settings


def report(faults: tuple[Fault, ...] | list[Fault]) -> str:
    """A text that lists every fault in full, numbered."""
    count = len(faults)
    lines = [f"the settings are refused: {count} {'fault' if count == 1 else 'faults'}, and nothing was made"]
    for number, fault in enumerate(faults, 1):
        lines += [
            "",
            f"{number}. {fault.path}",
            f"   given:   {fault.given}",
            f"   allowed: {fault.allowed}",
            f"   change:  {fault.change}",
        ]
    return "\n".join(lines)


def _analysed(loaded: Loaded) -> Loaded:
    """The loaded settings with the faults of the analysis added to those of the checks."""
    if loaded.draft is None:
        return loaded
    draft, reported = loaded.draft, {fault.path for fault in loaded.faults}
    faults = (
        *loaded.faults,
        *cost.faults(draft),
        *(fault for fault in capacity.faults(draft) if not _follows(fault, reported)),
        *placement.faults(draft),
        *buckets.too_large(draft),
        *(platform_pods.faults(loaded.settings) if loaded.settings else ()),
    )
    return Loaded(None if errors(faults) else loaded.settings, loaded.draft, faults)


def _follows(fault: Fault, reported: set[str]) -> bool:
    """Whether a quota lacks pools only because its namespace's pools or priorities are wrong and already reported."""
    namespace, _, quota = fault.path.partition(".quota[")
    return bool(quota) and any(path.startswith((f"{namespace}.pools", f"{namespace}.priorities")) for path in reported)
