from __future__ import annotations

from knowledge.parsing.html import markdown_of_html


def lines_of(html: str) -> list[str]:
    return [line for line in markdown_of_html(html).splitlines() if line]


def test_the_lines_of_a_cell_are_no_single_word() -> None:
    assert lines_of(
        "<table><tr><th><p>Day</p><th><p>Open</p>"
        "<tr><td><p>Monday</p><p>Tuesday</p></td><td>9 to 12<br>14 to 18<ul><li>bar</ul></table>"
    ) == ["| Day | Open |", "| --- | --- |", "| Monday Tuesday | 9 to 12 14 to 18 bar |"]


def test_rows_and_cells_need_no_end_tags() -> None:
    assert lines_of(
        "<table><thead><tr><th>Room<th>Price<tbody><tr><td>Single<td>80<tr><td><td>120</table><p>Dogs"
    ) == ["| Room | Price |", "| --- | --- |", "| Single | 80 |", "|  | 120 |", "Dogs"]


def test_a_table_that_arranges_a_page_loses_no_text() -> None:
    assert lines_of(
        "<table><tr><td>Menu of today</td><td><table><tr><td>Soup</td><td>5</td></tr></table>"
        "All fresh</td></tr><tr><td><h2>Wine</h2><p>Red</p><p>White</p></td><td>Beer</td></table>"
    ) == [
        *("| Menu of today |  |", "| --- | --- |", "| Soup | 5 |", "| --- | --- |", "All fresh"),
        *("## Wine", "Red", "White", "Beer"),
    ]


def test_a_head_needs_no_end_tag() -> None:
    page = "<html><head><meta charset=utf-8><title>Hotel</title><style>p {}</style><body><p>Dogs"
    assert lines_of(page) == ["Dogs"]
