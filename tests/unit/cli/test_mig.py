import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from cli.mig import mig
from gpuplatform.analysis.mig import legal_layouts
from gpuplatform.catalog.mig import geometries

GOOD = "version: v1\nmig-configs:\n  all:\n  - devices: all\n    mig-enabled: true\n    mig-devices: {'1g.10gb': 7}\n"


def run(*words: str) -> Result:
    return CliRunner().invoke(mig, list(words))


def test_four_pairs_on_a_40_gb_a100_are_impossible_and_it_says_why() -> None:
    result = run("A100-40GB", "2g.10gb:4")
    assert result.exit_code == 1
    assert "needs 8 of 7 compute slices; 3 is the most" in result.output
    assert "Nearest legal: 2g.10gb ×3" in result.output


def test_two_halves_are_legal_and_one_compute_slice_is_stranded() -> None:
    result = run("A100-80GB", "3g.40gb:2")
    assert result.exit_code == 0
    assert "One compute slice is stranded" in result.output
    assert "Also fits: nothing." in result.output


def test_two_halves_and_a_seventh_sum_to_seven_and_cannot_be_placed() -> None:
    result = run("A100-80GB", "3g.40gb:2", "1g.10gb")
    assert result.exit_code == 1
    assert "the sum of g is 7, and still it cannot be placed" in result.output


def test_a_half_and_four_sevenths_fill_a_card() -> None:
    result = run("H100-80GB", "3g.40gb", "1g.10gb:4")
    assert result.exit_code == 0
    assert "No slice is stranded." in result.output


def test_the_drawing_shows_which_profile_sits_where() -> None:
    lines = run("H100-80GB", "3g.40gb", "1g.10gb:4").output.splitlines()
    assert lines[1].split() == ["memory", "slice", *"01234567"]
    assert [box.strip() for box in lines[2].strip().strip("|").split("|")] == ["1g.10gb"] * 4 + ["3g.40gb"]
    assert lines[2].index("3g.40gb") == lines[1].index("4")


def test_the_drawing_of_every_legal_layout_fits_80_columns_with_every_name_whole() -> None:
    from cli.mig import _drawing  # pyright: ignore[reportPrivateUsage] # noqa: PLC0415
    from gpuplatform.analysis.mig import prove  # noqa: PLC0415

    for card in geometries().values():
        for layout in legal_layouts(card):
            drawn = [line.plain for line in _drawing(card, prove(card, layout.as_dict()).placed)]
            assert max(len(line) for line in drawn) <= 80
            assert len({len(line) for line in drawn[1:]}) == 1, drawn


def test_a_profile_named_twice_is_added_up() -> None:
    assert "1g.10gb ×7" in run("A100-80GB", "1g.10gb:3", "1g.10gb:4").output


def test_a_well_formed_profile_that_the_card_lacks_is_impossible() -> None:
    result = run("A100-40GB", "3g.40gb")
    assert result.exit_code == 1
    assert "its 3g profile is 3g.20gb" in result.output


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "give CARD and PROFILE[:N]"),
        (("A100",), "no card 'A100' with MIG is known. Cards: A30-24GB, A100-40GB"),
        (("RTX-PRO-4500-32GB", "1g.16gb"), "placements are not published"),
        (("A100-40GB",), "name at least one PROFILE[:N]. A100-40GB has 1g.5gb"),
        (("A100-40GB", "1g.5g"), "'1g.5g' is not written as a MIG profile"),
        (("A100-40GB", "1g.5gb.me"), "is called 1g.5gb+me here"),
        (("A100-40GB", "1g.5gb:0"), "a whole number from 1 to 999"),
        (("A100-40GB", "1g.5gb:"), "a whole number from 1 to 999"),
        (("A100-40GB", "1g.5gb:many"), "a whole number from 1 to 999"),
        (("A100-40GB", "1g.5gb", "--card", "A100-40GB"), "--card needs --file"),
        (("A100-40GB", "--file", "x.yaml"), "write the card as --card CARD"),
        (("--file", "x.yaml", "--card", "V100"), "no card 'V100' with MIG is known"),
    ],
)
def test_wrong_usage_exits_2_and_says_what_is_right(words: tuple[str, ...], message: str) -> None:
    result = run(*words)
    assert result.exit_code == 2
    assert message in result.output


def test_json_carries_the_whole_proof() -> None:
    result = run("A100-80GB", "3g.40gb:2", "--format", "json")
    answer = json.loads(result.output)
    assert result.exit_code == 0
    assert answer["legal"] is True
    assert answer["placed"] == [
        {"profile": "3g.40gb", "start": 0, "memory_slices": 4},
        {"profile": "3g.40gb", "start": 4, "memory_slices": 4},
    ]
    assert (answer["stranded_compute"], answer["stranded_memory"]) == (1, 0)
    refused = json.loads(run("A100-40GB", "2g.10gb:4", "--format", "json").output)
    assert refused["legal"] is False
    assert refused["nearest"][0] == {"2g.10gb": 3}


def test_a_legal_file_exits_0_and_says_where_each_entry_is_legal(tmp_path: Path) -> None:
    file = tmp_path / "config.yaml"
    file.write_text(GOOD)
    result = run("--file", str(file))
    assert result.exit_code == 0
    assert "mig-configs.all[0]: 1g.10gb ×7: legal on A100-80GB, H100-80GB; impossible on A100-40GB" in result.output


def test_a_file_with_an_impossible_entry_exits_1_and_names_it(tmp_path: Path) -> None:
    file = tmp_path / "config.yaml"
    file.write_text(GOOD)
    result = run("--file", str(file), "--card", "A100-40GB")
    assert result.exit_code == 1
    assert "error: mig-configs.all[0].mig-devices" in result.output
    answer = json.loads(run("--file", str(file), "--card", "A100-40GB", "--format", "json").output)
    assert answer["legal"] is False
    assert answer["faults"][0]["path"] == "mig-configs.all[0].mig-devices"


def test_the_number_of_devices_of_a_node_can_be_said(tmp_path: Path) -> None:
    file = tmp_path / "config.yaml"
    file.write_text(GOOD.replace("all\n    mig", "[0]\n    mig"))
    assert run("--file", str(file), "--devices", "1").exit_code == 0
    assert run("--file", str(file)).exit_code == 1


@pytest.mark.parametrize("content", [None, b"", b"\xff\xfe\x00binary", b"\x00\x01\x02"])
def test_a_file_that_is_missing_empty_or_binary_gets_one_message_with_its_name(
    tmp_path: Path, content: bytes | None
) -> None:
    file = tmp_path / "config.yaml"
    if content is not None:
        file.write_bytes(content)
    result = run("--file", str(file))
    assert result.exit_code == 1
    (line,) = result.output.splitlines()
    assert str(file) in line


def test_control_characters_of_a_file_never_reach_the_terminal(tmp_path: Path) -> None:
    file = tmp_path / "config.yaml"
    file.write_text(GOOD.replace("  all:", '  "\\e[2J":'))
    assert "\x1b" not in run("--file", str(file)).output


def test_the_command_loads_neither_pulumi_nor_rich_until_something_is_drawn() -> None:
    code = "import sys, cli.mig; print([name for name in ('pulumi', 'rich') if name in sys.modules])"
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "[]"
