import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from cli.share import share
from tests.builders import ROOT

SMALL = ("--memory-gib", "8", "--isolation", "yes", "--bursty", "no")


def run(*words: str) -> Result:
    return CliRunner().invoke(share, list(words))


def test_two_cpu_pods_are_told_to_take_a_whole_t4_and_why_not_a_slice() -> None:
    result = run(*SMALL)
    assert result.exit_code == 0
    assert "Choose: whole card on g4dn.xlarge (T4-16GB, on-demand), $0.526 a slot." in result.output
    assert "MIG 1g.10gb on p4de.24xlarge (A100-80GB) at $0.584 a slot" in result.output
    assert "9 of 56 slices stranded" in result.output
    assert "MPS: it isolates neither memory nor faults" in result.output


def test_the_table_has_five_rows_at_most_cheapest_first() -> None:
    lines = run(*SMALL).output.splitlines()
    start = next(index for index, line in enumerate(lines) if line.startswith("USD/H A SLOT"))
    rows = lines[start + 1 : lines.index("", start)]
    prices = [float(row.split()[0]) for row in rows]
    assert 0 < len(prices) <= 5
    assert prices == sorted(prices)


def test_with_a_stack_it_names_a_pool_and_the_command_that_prints_its_block() -> None:
    result = run(*SMALL, "--stack", "prod")
    assert result.exit_code == 0
    assert "gpuplatform block --stack prod --pool infer" in result.output
    assert "karpenter.sh/capacity-type: on-demand" in result.output


def test_a_pool_that_tries_a_dearer_card_first_is_said_to() -> None:
    result = run(
        "--memory-gib", "8", "--isolation", "yes", "--bursty", "no", "--interruptible", "yes", "--stack", "prod"
    )
    assert "The pool tries L4-24GB on spot first" in result.output
    assert "select gpu.model: T4, gpu.mem: 16gb" in result.output


def test_json_says_the_same_as_the_text() -> None:
    answer = json.loads(run(*SMALL, "--format", "json").output)
    assert answer["choice"]["method"] == "whole card"
    assert answer["choice"]["instance_type"] == "g4dn.xlarge"
    assert answer["choice"]["usd_per_slot"] == pytest.approx(0.526)
    assert answer["options"][1]["profile"] == "1g.10gb"
    assert (answer["options"][1]["slots"], answer["options"][1]["slots_by_cards"]) == (47, 56)
    assert answer["faults"] == []


def test_what_nothing_holds_is_refused_with_the_largest_there_is() -> None:
    result = run("--memory-gib", "400", "--isolation", "yes", "--bursty", "no")
    assert result.exit_code == 1
    assert "at most 288 GiB of one card: B300-269GB" in result.output
    answer = run("--memory-gib", "400", "--isolation", "yes", "--bursty", "no", "--format", "json")
    assert answer.exit_code == 1
    assert json.loads(answer.output)["faults"][0]["path"] == "--memory-gib"


def test_a_stack_without_a_place_says_why_pool_by_pool_and_what_to_add() -> None:
    result = run("--memory-gib", "120", "--isolation", "yes", "--bursty", "no", "--stack", "prod")
    assert result.exit_code == 1
    assert "infer-large: one of its units has 96 GB." in result.output
    assert "Change: add a pool with whole card on" in result.output


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("--memory-gib", "8"),
        ("--memory-gib", "nan", "--isolation", "yes", "--bursty", "no"),
        ("--memory-gib", "0", "--isolation", "yes", "--bursty", "no"),
        ("--memory-gib", "8", "--isolation", "perhaps", "--bursty", "no"),
        (*SMALL, "--cards", "0"),
        (*SMALL, "--cpu-millis", "0"),
        (*SMALL, "--host-memory-gib", "inf"),
        (*SMALL, "--stack", "nowhere"),
        (*SMALL, "--stack", "prod", "--settings", "x.yaml"),
    ],
)
def test_wrong_usage_is_exit_code_two(words: tuple[str, ...]) -> None:
    assert run(*words).exit_code == 2


def test_settings_that_are_refused_are_reported(tmp_path: Path) -> None:
    file = tmp_path / "settings.yaml"
    file.write_text("{}\n")
    assert run(*SMALL, "--settings", str(file)).exit_code == 1


def test_it_answers_without_loading_the_engine() -> None:
    code = (
        "import sys; from cli.main import main\n"
        "try: main(['share', *sys.argv[1:]])\n"
        "except SystemExit: pass\n"
        "assert 'pulumi' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code, *SMALL], check=True, cwd=ROOT, capture_output=True)
