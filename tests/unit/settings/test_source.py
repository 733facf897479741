from pathlib import Path

import pytest

from gpuplatform.settings.source import Plain, parse, read, unreasonable
from tests.builders import STACKS, stack_file


def value(text: str) -> Plain:
    document, faults = parse(f"key: {text}", "file")
    assert faults == []
    assert isinstance(document, dict)
    return document["key"]


def refused(text: str) -> str:
    document, faults = parse(text, "file")
    assert document is None
    (fault,) = faults
    assert all((fault.path, fault.given, fault.allowed, fault.change))
    return f"{fault.path}: {fault.given}"


def test_a_whole_stack_file_gives_the_object_under_its_key() -> None:
    text = "config:\n  aws:region: us-east-1\n  gpu-platform:settings:\n    environment: dev\n"
    assert parse(text, "file") == ({"environment": "dev"}, [])


def test_a_bare_settings_object_is_taken_as_it_is() -> None:
    assert parse("environment: dev\n", "file") == ({"environment": "dev"}, [])


@pytest.mark.parametrize("stack", STACKS)
def test_the_repositorys_stack_files_are_read(stack: str) -> None:
    document, faults = read(stack_file(stack))
    assert faults == []
    assert isinstance(document, dict)
    assert document["environment"] == stack


@pytest.mark.parametrize("text", ["", "# only a comment\n", "---\n", "null\n"])
def test_an_empty_file_is_said_to_be_empty(text: str) -> None:
    assert refused(text) == "file: an empty file"


@pytest.mark.parametrize(
    ("text", "line"),
    [("a: [1, 2\nb: 3\n", "line 2"), ("a: 'open", "line 1"), ("\tx: 1", "line 1"), ("a: b: c", "line 1")],
)
def test_what_is_not_yaml_is_refused_with_its_line(text: str, line: str) -> None:
    message = refused(text)
    assert message.startswith("file: text that is not YAML: ")
    assert line in message


def test_a_key_that_stands_twice_is_refused_with_its_line() -> None:
    assert "the key 'pools' is duplicated (line 3)" in refused("pools: 1\nother: 2\npools: 3\n")


@pytest.mark.parametrize(
    ("text", "kind"), [("- a\n- b\n", "a list"), ("just words", "a text"), ("7", "a single value")]
)
def test_a_document_that_is_no_mapping_is_refused(text: str, kind: str) -> None:
    assert refused(text) == f"file: {kind}"


@pytest.mark.parametrize("text", ["config: {}\n", "config: [1]\n", "config:\n  gpu-platform:setings: {}\n"])
def test_a_stack_file_without_the_settings_key_says_which_key_is_wanted(text: str) -> None:
    assert refused(text) == "file: config: no gpu-platform:settings"


def test_a_list_in_place_of_the_settings_is_left_to_the_judges() -> None:
    assert parse("config:\n  gpu-platform:settings: [1]\n", "file") == ([1], [])


@pytest.mark.parametrize("content", [b"\x7fELF\x02\x01\x01\x00\xff\xfe", b"\x00\x01\x02", b"key: \xc3\x28"])
def test_a_binary_file_is_said_to_be_binary(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "Pulumi.dev.yaml"
    path.write_bytes(content)
    document, (fault,) = read(path)
    assert document is None
    assert fault.given == "a binary file"
    assert fault.path == str(path)


def test_a_file_that_is_missing_or_a_folder_is_one_fault(tmp_path: Path) -> None:
    for path in (tmp_path / "no.yaml", tmp_path):
        document, (fault,) = read(path)
        assert document is None
        assert fault.path == str(path)
        assert fault.given.startswith("a file that cannot be read (")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("22:00", "22:00"),
        ("1:30:00", "1:30:00"),
        ("no", "no"),
        ("on", "on"),
        ("2026-01-31", "2026-01-31"),
        ("0o17", "0o17"),
        ("1_000", "1_000"),
        ("007", "007"),
        ("12", 12),
        ("-3", -3),
        ("0.40", 0.4),
        ("true", True),
        ("~", None),
        ("", None),
        ('"1.35"', "1.35"),
    ],
)
def test_scalars_are_read_as_pulumi_reads_them(text: str, expected: Plain) -> None:
    parsed = value(text)
    assert parsed == expected
    assert type(parsed) is type(expected)


def test_anchors_are_followed() -> None:
    assert parse("a: &x {b: 1}\nc: *x\n", "file") == ({"a": {"b": 1}, "c": {"b": 1}}, [])


def test_a_python_tag_builds_nothing() -> None:
    assert "not YAML" in refused("a: !!python/object/apply:os.system ['true']")


def test_a_number_that_python_cannot_hold_is_a_fault_and_not_a_traceback() -> None:
    assert refused("a: " + "9" * 5000).startswith("file: YAML that cannot be read: ")


def test_a_mapping_with_itself_inside_is_refused() -> None:
    assert "recursive" in refused("a: &a [*a]\n")


def test_a_key_that_is_a_list_is_read_as_text() -> None:
    assert parse("? [a, b]\n: 1\n", "file") == ({"['a', 'b']": 1}, [])


def test_settings_that_aliases_make_huge_are_refused_before_they_are_unfolded() -> None:
    lines = ["a0: &a0 [1, 2, 3, 4, 5, 6, 7, 8]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 8)}]" for n in range(1, 12)]
    document, faults = parse("\n".join(lines), "file")
    assert faults == []
    assert unreasonable(document) == "more than 100,000 values"


def test_settings_nested_beyond_reason_are_refused() -> None:
    document, _ = parse("a: " + "[" * 40 + "]" * 40, "file")
    assert unreasonable(document) == "values nested more than 32 deep"


@pytest.mark.parametrize("stack", STACKS)
def test_the_repositorys_settings_are_far_from_those_limits(stack: str) -> None:
    document, _ = read(stack_file(stack))
    assert unreasonable([[[[[[[[document]]]]]]]]) is None
