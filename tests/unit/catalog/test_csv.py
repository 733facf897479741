from __future__ import annotations

import csv

import pytest

from gpuplatform.catalog._csv import cited, flag, parse


def test_comment_lines_are_left_out_and_rows_keep_their_order() -> None:
    lines = ["# why this file is short", "name,size", "b,2", "# between", "a,1"]
    assert parse(lines, lambda row: (row["name"], int(row["size"])), "sizes.csv") == (("b", 2), ("a", 1))


def test_a_comma_inside_quotes_belongs_to_the_text() -> None:
    assert parse(["name,source", 'a,"here, and there"'], lambda row: row["source"], "f.csv") == ("here, and there",)


def test_a_file_with_a_header_alone_has_no_rows() -> None:
    assert parse(["# nothing yet", "name"], lambda row: row["name"], "f.csv") == ()


@pytest.mark.parametrize("row", ["a,many", "a", "a,"])
def test_a_row_that_cannot_be_read_is_named_by_file_and_number(row: str) -> None:
    with pytest.raises(ValueError, match=r"sizes\.csv: row 2 "):
        parse(["name,size", "a,1", row], lambda line: int(line["size"]), "sizes.csv")


def test_a_column_that_is_missing_is_named() -> None:
    with pytest.raises(ValueError, match="size"):
        parse(["name", "a"], lambda row: row["size"], "f.csv")


def test_a_quote_that_never_ends_is_refused() -> None:
    with pytest.raises(csv.Error):
        parse(["name", '"a'], lambda row: row["name"], "f.csv")


def test_a_flag_is_true_or_false_and_nothing_else() -> None:
    assert (flag("true"), flag("false")) == (True, False)
    with pytest.raises(ValueError, match="yes"):
        flag("yes")


def test_a_row_without_a_source_is_refused() -> None:
    with pytest.raises(ValueError, match="no source"):
        cited("")
