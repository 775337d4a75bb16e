from __future__ import annotations

import pytest

from pipelines.texts.spoken_tables import SpokenTables

TABLE = """Here they are:

| Day    | Hours       | Note |
|:-------|------------:|------|
| Monday | 9 to 5.     |      |
|Tuesday |             | -5 % |

   Which one? A | B
"""
READ_OUT = """Here they are:

Day, Hours, Note.
Monday, 9 to 5.
Tuesday, -5 %.

   Which one? A | B
"""


@pytest.mark.parametrize("length", [1, 2, 3, 7, 1000])
def test_a_table_is_read_out_cell_by_cell_without_its_rule(length: int) -> None:
    tables = SpokenTables()
    pieces = [TABLE[start : start + length] for start in range(0, len(TABLE), length)]
    assert "".join([*map(tables.take, pieces), tables.rest()]) == READ_OUT


def test_only_what_may_be_a_border_waits_for_what_follows() -> None:
    tables = SpokenTables()
    given = ["- We ", "are", "\n| ", "Mon", "day |", " nine ", "to", " |\n", "|--", "-|"]
    taken = ["- We ", "are", "\n", "Mon", "day", ", nine", " to", ".\n", "", ""]
    assert [tables.take(piece) for piece in given] == taken
    assert tables.rest() == ""


def test_the_last_row_of_an_answer_is_a_sentence() -> None:
    tables = SpokenTables()
    assert tables.take("| Monday | nine to five |") + tables.rest() == "Monday, nine to five."
