"""How lists look on a terminal."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from rich.console import Console, RenderableType
from rich.measure import Measurement
from rich.padding import Padding
from rich.table import Column, Table
from rich.text import Text

if TYPE_CHECKING:
    from switchboard.commands.api.session import Session


_NOTHING = "–"
"""Stands for a value that is not there."""
_WIDEST = 1000
"""Columns of a terminal on which every table has room."""


def list_table(*columns: Column | str) -> Table:
    return Table(*columns, box=None, pad_edge=False)


def facts_table() -> Table:
    """Two columns without a heading: a label and its value."""
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    return table


def show_page(session: Session, table: Table, total: int, *, when_empty: str) -> None:
    """Print one page of a list that has ``total`` rows on all its pages.

    Where the terminal is too narrow for the table, each row becomes an entry of two lines, so that
    ids and amounts stay whole.
    """
    if total == 0:
        session.notes.print(when_empty, style="dim")
        return
    unlimited = session.console.options.update(width=_WIDEST)
    wanted = Measurement.get(session.console, unlimited, table).maximum
    if wanted <= session.console.width:
        session.console.print(table)
    else:
        _print_entries(session.console, table)
    if table.row_count < total:
        session.notes.print(f"{table.row_count} of {total}; see --offset.", style="dim")


def _print_entries(console: Console, table: Table) -> None:
    for first, *others in zip(*(column.cells for column in table.columns), strict=True):
        console.print(_text(first), soft_wrap=True)
        told = [text for text in map(_text, others) if text.plain not in ("", _NOTHING)]
        console.print(Padding(Text("  ·  ", style="dim").join(told), (0, 0, 0, 2), expand=False))


def _text(cell: RenderableType) -> Text:
    return cell if isinstance(cell, Text) else Text(str(cell))


def id_column() -> Column:
    """Wide enough for a whole id, because people copy ids from the screen."""
    return Column("ID", no_wrap=True, min_width=36)


def local_time(moment: datetime | None) -> str:
    """To the minute, in the machine's own time zone."""
    return _NOTHING if moment is None else moment.astimezone().strftime("%Y-%m-%d %H:%M")


def minutes(seconds: float | None) -> str:
    """A length of time as a clock shows it: ``1:05``."""
    if seconds is None:
        return _NOTHING
    whole, rest = divmod(int(seconds), 60)
    return f"{whole}:{rest:02d}"


def dollars(amount: float | None) -> str:
    return _NOTHING if amount is None else f"${amount:.4f}"
