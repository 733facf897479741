"""One stack as plain data for a comparison. Run as a script, it describes a stack with the code of its source tree.

An earlier revision has its own ``gpuplatform`` and not this file. So this file imports only modules that every revision
has, and each where it is needed. If a revision cannot compute a part, the result names the part and has the others.

Script: ``python -P describing.py STACK_FILE``, with PYTHONPATH at the tree; one JSON object on standard output.
"""

from __future__ import annotations

import dataclasses
import functools
import importlib
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from gpuplatform.plan.subnets import ZoneSubnets
    from gpuplatform.render.stack import Rendered
    from gpuplatform.settings.settings import Settings

_SCRIPT_ARGUMENTS = 2


class _Stack:
    """A stack that is rendered once, when a part first needs it."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings

    @functools.cached_property
    def rendered(self) -> Rendered:
        from gpuplatform.render.stack import render  # noqa: PLC0415

        return render(self.settings)


def described(settings: Settings) -> dict[str, object]:
    """Each part of a stack by its name; ``unknown`` has the parts that could not be computed, each with the reason."""
    stack = _Stack(settings)
    plain: dict[str, object] = {}
    unknown: dict[str, str] = {}
    for name, part in _PARTS.items():
        try:
            plain[name] = part(stack)
        except Exception as error:
            unknown[name] = f"{type(error).__name__}: {error}"
    return {**plain, "unknown": unknown}


def _settings(stack: _Stack) -> object:
    return stack.settings.model_dump(mode="json")


def _subnets(stack: _Stack) -> object:
    subnets = _subnets_of_a_network()
    new = stack.settings.network.new
    zones = () if new is None else subnets(new.cidr, stack.settings.network.zones, new.pod_cidr)
    return {zone_subnets.zone: [zone_subnets.private, zone_subnets.public] for zone_subnets in zones}


def _subnets_of_a_network() -> Callable[[str, Sequence[str], str | None], Sequence[ZoneSubnets]]:
    """The function that cuts a network into subnets; revisions before 0.1.0 have it among their settings."""
    try:
        module = importlib.import_module("gpuplatform.plan.subnets")
    except ModuleNotFoundError:
        module = importlib.import_module("gpuplatform.settings.subnets")
    return cast("Callable[[str, Sequence[str], str | None], Sequence[ZoneSubnets]]", module.subnets)


def _documents(stack: _Stack) -> object:
    return list(stack.rendered.documents)


def _values(stack: _Stack) -> object:
    return stack.rendered.values


def _node_groups(stack: _Stack) -> object:
    return [dataclasses.asdict(group) for group in stack.rendered.node_groups]


def _node_release(stack: _Stack) -> object:
    from gpuplatform.standard.versions import node_release  # noqa: PLC0415

    return node_release(stack.settings.cluster.version).version


def _addons(stack: _Stack) -> object:
    from gpuplatform.standard.versions import addons  # noqa: PLC0415

    return {name: pin.version for name, pin in addons(stack.settings.cluster.version).items()}


def _charts(stack: _Stack) -> object:
    from gpuplatform.standard.versions import CHARTS  # noqa: PLC0415

    installed = ("karpenter-crd", *stack.rendered.values)
    return {name: CHARTS[name].pin.version for name in installed if name in CHARTS}


def _published(stack: _Stack) -> object:
    from gpuplatform.outputs import describe  # noqa: PLC0415

    return describe(stack.settings, "").as_plain()


_PARTS: dict[str, Callable[[_Stack], object]] = {
    "settings": _settings,
    "subnets": _subnets,
    "documents": _documents,
    "values": _values,
    "node_groups": _node_groups,
    "node_release": _node_release,
    "addons": _addons,
    "charts": _charts,
    "published": _published,
}


def _main(file: Path) -> None:
    import gpuplatform  # noqa: PLC0415
    from gpuplatform.accept import check_file  # noqa: PLC0415

    home = gpuplatform.__file__
    assert home is not None
    if Path.cwd().resolve() not in Path(home).resolve().parents:
        sys.exit("the tree has no gpuplatform package")
    loaded = check_file(file)
    if loaded.settings is None:
        sys.exit(f"the code of its revision refuses its settings: {'; '.join(map(str, loaded.faults))}")
    json.dump(described(loaded.settings), sys.stdout)


if __name__ == "__main__":
    if len(sys.argv) != _SCRIPT_ARGUMENTS:
        sys.exit("give the stack file")
    _main(Path(sys.argv[1]))
