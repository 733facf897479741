"""Levels by rule: a file is refused whole before the engine reads it, and the schema says the same."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import cast

import fastjsonschema  # pyright: ignore[reportMissingTypeStubs]
import grpc
import pytest
from click.testing import CliRunner

from cli.main import main
from policies.levels import judge, schema
from tests.policies.analyzer import started_pack
from tests.policies.documents import a_pool, but

VALIDATE = cast("Callable[[object], object]", fastjsonschema.compile(schema()))  # pyright: ignore[reportUnknownMemberType]

GOOD: tuple[object, ...] = (
    {},
    {"all": "advisory"},
    {"all": "mandatory", "nodepool-weight": "disabled"},
    {"nodepool-weight": {"enforcementLevel": "advisory"}},
)
BAD: tuple[tuple[object, str, str], ...] = (
    ({"nodepool-wait": "disabled"}, "no rule of the pack", "write nodepool-weight"),
    ({"nodepool-weight": "strict"}, "'strict'", "mandatory, advisory, disabled"),
    ({"nodepool-weight": True}, "true", "mandatory, advisory, disabled"),
    ({"nodepool-weight": {}}, "nothing", "enforcementLevel"),
    ({"nodepool-weight": {"enforcementLevel": "advisory", "least": 3}}, "further keys: least", "remove the other keys"),
    (["nodepool-weight"], "['nodepool-weight']", "levels by rule"),
)


@pytest.mark.parametrize("levels", GOOD, ids=str)
def test_a_good_file_is_taken(levels: object) -> None:
    assert judge(json.dumps(levels), "levels.json") == []
    VALIDATE(levels)


@pytest.mark.parametrize(("levels", "shown", "change"), BAD, ids=str)
def test_a_bad_file_is_one_fault_that_says_what_to_write(levels: object, shown: str, change: str) -> None:
    (fault,) = judge(json.dumps(levels), "levels.json")

    assert shown in str(fault)
    assert change in str(fault)
    with pytest.raises(fastjsonschema.JsonSchemaException):
        VALIDATE(levels)


def test_what_is_no_json_is_a_fault() -> None:
    (fault,) = judge("{", "levels.json")

    assert "text that is not JSON" in str(fault)


def test_the_command_refuses_a_bad_file_before_the_engine_starts(tmp_path: Path) -> None:
    file = tmp_path / "levels.json"
    file.write_text('{"nodepool-wait": "off"}', encoding="utf-8")

    ran = CliRunner().invoke(main, ["engine", "preview", "--stack", "dev", "--policy-levels", str(file)])

    assert ran.exit_code == 1
    assert ran.output.count("error: ") == 2
    assert "levels.json: nodepool-wait: given no rule of the pack" in ran.output


def test_the_started_pack_refuses_a_rule_that_nobody_has() -> None:
    with started_pack() as analyzer, pytest.raises(grpc.RpcError, match="nodepool-wait: given no rule of the pack"):
        analyzer.configure({"nodepool-wait": "ADVISORY"})


def test_all_stands_for_every_rule_that_is_not_named() -> None:
    broken = but(but(a_pool(), "spec", "weight", 101), "spec", "limits", {})
    with started_pack() as analyzer:
        analyzer.configure({"all": "ADVISORY", "nodepool-ceiling": "MANDATORY"})

        assert {reported.rule: reported.level for reported in analyzer.analyze(broken)} == {
            "nodepool-weight": "ADVISORY",
            "nodepool-ceiling": "MANDATORY",
        }
