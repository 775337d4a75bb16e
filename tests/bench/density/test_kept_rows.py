"""A table that is measured in pieces."""

from __future__ import annotations

from pathlib import Path

from bench.density.condition import Condition
from bench.density.kept_rows import keep, kept
from bench.density.row import Row
from bench.density.table import CONDITION, cells, markdown

FOUR, ONE = Condition("cloud", 4), Condition("cloud", 1)


def test_rows_come_back_in_the_tables_order(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    keep(path, [Row(FOUR, 50.0, gaps=[21.0, 40.0])])
    keep(path, [Row(ONE, 50.0)])
    assert [each.condition for each in kept(path)] == [ONE, FOUR]
    assert kept(path)[1].gaps == [21.0, 40.0]


def test_a_row_that_was_measured_again_counts_once(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    keep(path, [Row(ONE, 50.0, turns=3), Row(FOUR, 50.0)])
    keep(path, [Row(ONE, 50.0, turns=9)])
    assert [each.turns for each in kept(path)] == [9, 0]


def test_a_column_in_which_no_row_says_anything_is_left_out() -> None:
    assert "neighbor" not in cells([Row(ONE, 50.0)], CONDITION)[0]
    beside = Row(Condition("cloud", 1, neighbor=0.5), 50.0)
    headings, (_, line) = cells([Row(ONE, 50.0), beside], CONDITION)
    assert line[headings.index("neighbor")] == "50%"


def test_markdown_tells_what_is_heard_and_what_it_costs_of_each_row() -> None:
    tables = markdown([Row(ONE, 50.0), Row(FOUR, 50.0)]).split("\n\n")
    assert [len(table.splitlines()) for table in tables] == [4, 4]
    for table in tables:
        assert len({line.count("|") for line in table.splitlines()}) == 1
