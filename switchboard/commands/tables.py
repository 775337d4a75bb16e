"""How lists look on a terminal."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from rich.table import Column, Table

if TYPE_CHECKING:
    from switchboard.commands.session import Session


def list_table(*columns: Column | str) -> Table:
    return Table(*columns, box=None, pad_edge=False)


def facts_table() -> Table:
    """Two columns without a heading: a label and its value."""
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    return table


def show_page(session: Session, table: Table, total: int, *, when_empty: str) -> None:
    """Print one page of a list that has ``total`` rows on all its pages."""
    if total == 0:
        session.notes.print(when_empty, style="dim")
        return
    session.console.print(table)
    if table.row_count < total:
        session.notes.print(f"{table.row_count} of {total}; see --offset.", style="dim")


def id_column() -> Column:
    """Wide enough for a whole id, because people copy ids from the screen."""
    return Column("ID", no_wrap=True, min_width=36)


def local_time(moment: datetime | None) -> str:
    """To the minute, in the machine's own time zone."""
    return "–" if moment is None else moment.astimezone().strftime("%Y-%m-%d %H:%M")


def minutes(seconds: float | None) -> str:
    """A length of time as a clock shows it: ``1:05``."""
    if seconds is None:
        return "–"
    whole, rest = divmod(int(seconds), 60)
    return f"{whole}:{rest:02d}"


def dollars(amount: float | None) -> str:
    return "–" if amount is None else f"${amount:.4f}"
