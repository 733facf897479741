"""The gate before anything is made: a settings object in, either accepted settings or a report (E11).

The program, the command line and the sandbox all pass it, so that what `check` says is what `pulumi up` does.
"""

from __future__ import annotations

from pathlib import Path

from gpuplatform import platform_pods
from gpuplatform.faults import Fault, errors
from gpuplatform.proofs import capacity, cost
from gpuplatform.proofs.capture import stack as capture
from gpuplatform.render import buckets
from gpuplatform.settings import load
from gpuplatform.settings.load import Loaded
from gpuplatform.settings.settings import Settings


class RefusedError(Exception):
    """Settings that are refused; the message is the whole report."""

    def __init__(self, faults: tuple[Fault, ...]) -> None:
        self.faults = faults
        super().__init__(report(faults))


def check_file(path: Path) -> Loaded:
    """Everything that can be said about a stack file before anything is made."""
    return _proven(load.load_file(path))


def check(raw: object) -> Loaded:
    """Everything that can be said about a settings object before anything is made."""
    return _proven(load.examine(raw))


def accepted(raw: object) -> Settings:
    """The settings, or RefusedError with every fault."""
    loaded = check(raw)
    if loaded.settings is None:
        raise RefusedError(tuple(errors(loaded.faults)))
    return loaded.settings


def report(faults: tuple[Fault, ...] | list[Fault]) -> str:
    """Every fault in full, numbered, for a person."""
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


def _proven(loaded: Loaded) -> Loaded:
    """The loaded settings with the proofs' faults beside the judges'."""
    if loaded.draft is None:
        return loaded
    draft, said = loaded.draft, {fault.path for fault in loaded.faults}
    faults = (
        *loaded.faults,
        *cost.faults(draft),
        *(each for each in capacity.faults(draft) if not _follows(each, said)),
        *capture.faults(draft),
        *buckets.too_large(draft),
        *(platform_pods.faults(loaded.settings) if loaded.settings else ()),
    )
    return Loaded(None if errors(faults) else loaded.settings, loaded.draft, faults)


def _follows(fault: Fault, said: set[str]) -> bool:
    """Whether a quota has too few pools because the namespace's own pools or priorities are wrong, which is said."""
    namespace, _, quota = fault.path.partition(".quota[")
    return bool(quota) and any(each.startswith((f"{namespace}.pools", f"{namespace}.priorities")) for each in said)
