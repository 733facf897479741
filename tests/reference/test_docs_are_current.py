"""The generated pages are current, and `gpuplatform docs` writes them."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from cli import reference
from cli.reference import docs, pages, stale, write
from cli.reference.settings import EXAMPLE
from gpuplatform.accept import check
from gpuplatform.catalog.cards import cards
from gpuplatform.catalog.instance_types import instance_types
from gpuplatform.settings.settings import Settings
from gpuplatform.settings.source import SETTINGS_KEY
from gpuplatform.standard.labels import STANDARD
from gpuplatform.standard.priorities import PRIORITIES
from gpuplatform.standard.versions import CHARTS, all_pins
from policies.enforcers import every_rule


@pytest.fixture(scope="module")
def written() -> dict[str, str]:
    return {Path(path).stem: text for path, text in pages().items()}


def test_the_pages_in_the_repository_are_current() -> None:
    assert stale() == [], "run `make docs`"


def test_every_page_begins_with_how_it_is_made(written: dict[str, str]) -> None:
    assert all("make docs" in text.splitlines()[0] for text in written.values())


def test_a_page_that_was_edited_by_hand_is_named_and_written_again(tmp_path: Path) -> None:
    write(tmp_path)
    assert stale(tmp_path) == []
    edited = tmp_path / "docs" / "reference" / "labels.md"
    edited.write_text(edited.read_text() + "one more word\n")
    assert stale(tmp_path) == ["docs/reference/labels.md"]
    assert write(tmp_path) == ["docs/reference/labels.md"]
    assert stale(tmp_path) == []


def test_a_page_that_nothing_writes_any_more_is_removed(tmp_path: Path) -> None:
    write(tmp_path)
    left_over = tmp_path / "docs" / "reference" / "old.md"
    left_over.write_text("# Old\n")
    assert write(tmp_path) == ["docs/reference/old.md"]
    assert not left_over.exists()


def test_check_names_what_is_stale_and_exits_with_1(monkeypatch: pytest.MonkeyPatch) -> None:
    def two_pages() -> list[str]:
        return ["docs/reference/labels.md", "docs/reference/settings.md"]

    monkeypatch.setattr(reference, "stale", two_pages)
    result = CliRunner().invoke(docs, ["--check"])
    assert result.exit_code == 1
    assert all(path in result.output for path in two_pages())


def test_check_is_silent_where_nothing_is_stale(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reference, "stale", list[str])
    result = CliRunner().invoke(docs, ["--check"])
    assert (result.exit_code, result.output) == (0, "")


def test_the_example_of_the_settings_page_is_accepted() -> None:
    settings = yaml.safe_load(EXAMPLE)["config"][SETTINGS_KEY]
    loaded = check(settings)
    assert loaded.settings is not None
    assert loaded.faults == ()


def test_the_settings_page_has_a_row_for_every_key_of_every_model(written: dict[str, str]) -> None:
    schema = Settings.model_json_schema()
    rows = [line for line in written["settings"].splitlines() if line.startswith("| `")]
    keys = [key for model in (schema, *schema["$defs"].values()) for key in model.get("properties", {})]
    assert sorted(row.split("`")[1] for row in rows) == sorted(keys)


def test_the_settings_page_has_no_pattern_left_without_words(written: dict[str, str]) -> None:
    assert "text that matches" not in written["settings"]


def test_the_labels_page_has_every_label_card_and_priority(written: dict[str, str]) -> None:
    page = written["labels"]
    assert [label.key for label in STANDARD if f"| `{label.key}` |" not in page] == []
    assert [name for name in cards() if f"| {name} |" not in page] == []
    assert [priority.name for priority in PRIORITIES if f"| `{priority.name}` |" not in page] == []


def test_the_instance_guide_has_every_type_twice_once_with_its_prices(written: dict[str, str]) -> None:
    lines = written["catalog"].splitlines()
    assert [name for name in instance_types() if sum(line.startswith(f"| {name} |") for line in lines) != 2] == []


def test_the_versions_page_has_every_pin_and_marks_those_that_nobody_vouches_for(written: dict[str, str]) -> None:
    page = written["versions"]
    assert [pin.name for pin in all_pins() if pin.version not in page] == []
    assert [chart for chart in CHARTS if f"| {chart} |" not in page] == []
    assert [pin.name for pin in all_pins() if not pin.verified and f"{pin.version} **unverified**" not in page] == []


def test_the_policies_page_has_a_heading_for_every_rule(written: dict[str, str]) -> None:
    headings = {line.removeprefix("## ") for line in written["policies"].splitlines() if line.startswith("## ")}
    assert headings == {rule.name for rule in every_rule()}
