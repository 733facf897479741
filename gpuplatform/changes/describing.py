"""What a comparison needs of one stack, as plain data; run as a script, it describes a stack by the code of its tree.

An earlier revision has its own ``gpuplatform`` and not this file. So this file imports nothing beside what every
revision has, each part where it is needed: a part that a revision cannot give is named, and the others are given.

Script: ``python -P describing.py STACK_FILE``, with PYTHONPATH at the tree; one JSON object on standard output.
"""

from __future__ import annotations

import dataclasses
import functools
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gpuplatform.render.stack import Rendered
    from gpuplatform.settings.settings import Settings

_SCRIPT_ARGUMENTS = 2


class _Stack:
    """A stack that is rendered once, when a part first asks for it."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings

    @functools.cached_property
    def rendered(self) -> Rendered:
        from gpuplatform.render.stack import render  # noqa: PLC0415

        return render(self.settings)


def described(settings: Settings) -> dict[str, object]:
    """Each part of a stack by its name, and under ``unknown`` those that cannot be had, with the reason."""
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
    from gpuplatform.settings.subnets import subnets  # noqa: PLC0415

    new = stack.settings.network.new
    made = () if new is None else subnets(new.cidr, stack.settings.network.zones, new.pod_cidr)
    return {each.zone: [each.private, each.public] for each in made}


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
        sys.exit("the tree has no program of its own")
    loaded = check_file(file)
    if loaded.settings is None:
        sys.exit(f"its own code refuses its settings: {'; '.join(map(str, loaded.faults))}")
    json.dump(described(loaded.settings), sys.stdout)


if __name__ == "__main__":
    if len(sys.argv) != _SCRIPT_ARGUMENTS:
        sys.exit("give the stack file")
    _main(Path(sys.argv[1]))
