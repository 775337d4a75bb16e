"""How lists look on a terminal."""

from __future__ import annotations

from datetime import datetime

from rich.table import Column

ID = Column("ID", no_wrap=True, min_width=36)
"""Ids are copied from the screen, so they are never cut."""


def local_time(moment: str | None) -> str:
    """An ISO time of the API, to the minute in the machine's own time zone."""
    if moment is None:
        return "–"
    return datetime.fromisoformat(moment).astimezone().strftime("%Y-%m-%d %H:%M")
