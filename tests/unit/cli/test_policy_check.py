"""The policy pack accepts what `check` accepts: `check` applies the rules to the rendered objects."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from cli.main import main
from cli.policy_check import check_with_policies
from gpuplatform.faults import errors
from gpuplatform.settings.source import Plain
from tests.builders import STACKS, a_card, a_market, a_pool, a_static_pool, settings_object, stack_file

_TRAINING = {"purpose": "train", "name": "train"}


def _disruption(**overrides: Plain) -> dict[str, Plain]:
    return {"time_zone": "Europe/Berlin", "consolidation": "WhenEmpty", "consolidate_after_minutes": 30, **overrides}


REFUSED: dict[str, tuple[dict[str, Plain], str]] = {
    "spot from one type": (a_pool(cards=[a_card(markets=[a_market("spot")])]), "spot-diverse"),
    "training that is consolidated while it runs": (
        a_pool(**_TRAINING, disruption=_disruption(consolidation="WhenEmptyOrUnderutilized")),
        "protected-consolidation",
    ),
    "training that expires": (a_pool(**_TRAINING, expire_after_hours=24), "protected-expiry"),
    "a chief that expires": (a_static_pool(expire_after_hours=24), "protected-expiry"),
    "a window that a change of clocks swallows": (
        a_pool(
            **_TRAINING,
            disruption=_disruption(
                windows=[{"days": ["Sun"], "start": "02:00", "end": "03:00", "reasons": ["Drifted"]}]
            ),
        ),
        "drift-possible",
    ),
}


def _file(folder: Path, pool: dict[str, Plain]) -> Path:
    path = folder / "settings.yaml"
    path.write_text(yaml.safe_dump(settings_object(pools=[pool])), encoding="utf-8")
    return path


@pytest.mark.parametrize("broken", REFUSED)
def test_what_the_pack_would_refuse_is_refused_before_the_engine_starts(broken: str, tmp_path: Path) -> None:
    pool, rule = REFUSED[broken]

    loaded = check_with_policies(_file(tmp_path, pool))

    assert loaded.settings is None
    assert any(rule in fault.allowed for fault in errors(loaded.faults)), [str(fault) for fault in loaded.faults]


def test_the_report_names_the_object_and_the_rule_and_the_command_ends_with_one(tmp_path: Path) -> None:
    pool, rule = REFUSED["spot from one type"]

    result = CliRunner().invoke(main, ["check", "--settings", str(_file(tmp_path, pool))])

    assert result.exit_code == 1
    assert "NodePool serve-l4-24gb-spot: spec.template.spec.requirements[node.kubernetes.io/instance-type]" in (
        result.output
    )
    assert rule in result.output


@pytest.mark.parametrize("stack", STACKS)
def test_the_shipped_stacks_break_no_rule(stack: str) -> None:
    assert check_with_policies(stack_file(stack)).settings is not None


def test_a_control_plane_that_keeps_some_logs_only_is_refused_as_the_pack_refuses_it(tmp_path: Path) -> None:
    path = tmp_path / "settings.yaml"
    choices: tuple[list[Plain], ...] = ([], ["api", "audit"])
    for log_types in choices:
        path.write_text(yaml.safe_dump(settings_object(cluster={"log_types": log_types})), encoding="utf-8")

        (fault,) = errors(check_with_policies(path).faults)

        assert fault.path == "cluster.log_types"
        assert "scheduler" in fault.allowed


def test_explain_lists_the_rules_that_only_the_engine_can_apply() -> None:
    result = CliRunner().invoke(main, ["check", "--explain"])

    assert result.exit_code == 0
    assert "cluster-secrets-encrypted" in result.output
    assert "spot-diverse" not in result.output.partition("only by the engine")[2]
