from __future__ import annotations

import pytest

from sandbox.engine.environment import pack_arguments


@pytest.mark.parametrize(
    "flags", [[], ["-virtualenv=../.venv"], ["-toolchain=pip", "-virtualenv=../.venv"], ["-typechecker=pyright"]]
)
def test_the_packs_options_are_dropped_and_the_engines_arguments_kept(flags: list[str]) -> None:
    assert pack_arguments(["127.0.0.1:4321", ".", *flags]) == ["127.0.0.1:4321", "."]
