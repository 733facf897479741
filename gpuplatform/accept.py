"""The gate for settings: it reads, checks and analyses them, and refuses them with every reason at once."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
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
    partial_settings: PartialSettings | None
    """The parts that could be read, for further checks; None where nothing could be read at all."""
    faults: tuple[Fault, ...]
    """Errors and warnings: first those of single fields in the order of the file, then those of each check."""
    raw: dict[str, Plain] | None = None
    """The settings object as plain data; None where nothing could be read at all."""


def check_file(path: Path) -> Loaded:
    """A ``Pulumi.<stack>.yaml``, or a file that holds nothing but the settings object, and all its faults."""
    raw, faults = source.read(path)
    return Loaded(None, None, tuple(faults)) if faults else check(raw)


def check(raw: object) -> Loaded:
    """A settings object as plain data, and every fault of it that can be found before anything is made."""
    return _analysed(examine(raw))


def valid_part(loaded: Loaded) -> tuple[Settings | None, tuple[str, ...]]:
    """The settings without their wrong fields, and the paths of these fields; checks may still refuse the rest.

    None where nothing could be read, or a part that every stack needs is wrong.
    """
    if loaded.settings is not None or loaded.raw is None:
        return loaded.settings, ()
    return partial.salvaged(loaded.raw)


def examine(raw: object) -> Loaded:
    """A settings object as plain data with the faults of its fields and of the cross-checks, without the analyses."""
    if not isinstance(raw, dict):
        kind = "nothing" if raw is None else f"a {type(raw).__name__}"
        return Loaded(None, None, (Fault(source.SETTINGS_KEY, kind, "a mapping", "write the stack's settings"),))
    if (why := source.unreasonable(cast(Plain, raw))) is not None:
        return Loaded(None, None, (Fault(source.SETTINGS_KEY, why, "a stack's settings", "shorten the settings"),))
    plain = cast(dict[str, Plain], raw)
    settings, partial_settings, faults = partial.read(plain)
    # A field that is reported as wrong is not reported again as missing, and a list with a wrong item is not checked.
    reported = {path for fault in faults for path in (fault.path, _ITEM.sub("", fault.path))}
    faults += [fault for fault in cross_check(partial_settings) if fault.path not in reported]
    return Loaded(None if errors(faults) else settings, partial_settings, tuple(faults), plain)


class RefusedError(Exception):
    """The settings are refused; the message is the whole report."""

    def __init__(self, faults: tuple[Fault, ...]) -> None:
        self.faults = faults
        super().__init__(report(faults))


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
    partial_settings = loaded.partial_settings
    if partial_settings is None:
        return loaded
    reported = {fault.path for fault in loaded.faults}
    faults = (
        *loaded.faults,
        *cost.faults(partial_settings),
        *(fault for fault in capacity.faults(partial_settings) if not _follows(fault, reported)),
        *placement.faults(partial_settings),
        *buckets.too_large(partial_settings),
        *(platform_pods.faults(loaded.settings) if loaded.settings else ()),
    )
    return replace(loaded, settings=None if errors(faults) else loaded.settings, faults=faults)


def _follows(fault: Fault, reported: set[str]) -> bool:
    """Whether a quota lacks pools only because its namespace's pools or priorities are wrong and already reported."""
    namespace, _, quota = fault.path.partition(".quota[")
    return bool(quota) and any(path.startswith((f"{namespace}.pools", f"{namespace}.priorities")) for path in reported)
