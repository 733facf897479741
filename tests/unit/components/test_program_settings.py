from __future__ import annotations

import json

import pulumi
import pytest

from components.program import settings_of_stack
from gpuplatform.settings.settings import Settings
from gpuplatform.settings.source import Plain
from tests.builders import settings_object
from tests.recorder import record


def read(raw: Plain) -> Settings:
    read: list[Settings] = []

    def program() -> None:
        pulumi.runtime.set_all_config({"gpu-platform:settings": json.dumps(raw)})
        read.append(settings_of_stack())

    assert record(program).resources == []
    return read[0]


def test_accepted_settings_are_those_of_the_stack_file() -> None:
    assert read(settings_object()).cluster.name == "gpu-test"


def test_refused_settings_end_the_program_with_every_fault_and_no_traceback() -> None:
    with pytest.raises(pulumi.RunError, match="2 faults, and nothing was made") as caught:
        read(settings_object(enviroment="x", regoin="y"))
    assert "enviroment" in str(caught.value)
    assert "regoin" in str(caught.value)
    assert caught.value.__suppress_context__


def test_a_stack_without_settings_is_told_what_to_write() -> None:
    with pytest.raises(pulumi.RunError, match="gpu-platform:settings"):
        read(None)
