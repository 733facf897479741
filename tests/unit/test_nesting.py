import pytest

from gpuplatform.nesting import MAX_DEPTH, too_deep_at_line
from gpuplatform.settings import source


@pytest.mark.parametrize("text", ["[" * 200_000, "{a: " * 200_000, "- " * 5000 + "1", "a:\n" + "[" * MAX_DEPTH * 2])
def test_a_text_nested_without_end_is_one_fault_and_no_crash(text: str) -> None:
    raw, faults = source.parse(text, "deep.yaml")
    assert raw is None
    assert [fault.path for fault in faults] == ["deep.yaml"]


def test_the_line_is_named() -> None:
    assert too_deep_at_line("a: 1\nb: " + "[" * (MAX_DEPTH + 1)) == 2


def test_what_is_wide_is_not_deep() -> None:
    assert too_deep_at_line("\n".join(f"- [{number}]" for number in range(MAX_DEPTH * 3))) is None
