"""How lists look on a terminal."""

from __future__ import annotations

from datetime import datetime

from rich.table import Column


def id_column() -> Column:
    """Ids are copied from the screen, so they are never cut."""
    return Column("ID", no_wrap=True, min_width=36)


def local_time(moment: str | None) -> str:
    """An ISO time of the API, to the minute in the machine's own time zone."""
    if moment is None:
        return "–"
    return datetime.fromisoformat(moment).astimezone().strftime("%Y-%m-%d %H:%M")
