"""How lists look on a terminal."""

from __future__ import annotations

from datetime import datetime

from rich.table import Column


def id_column() -> Column:
    """Ids are copied from the screen, so they are never cut."""
    return Column("ID", no_wrap=True, min_width=36)


def local_time(moment: str | datetime | None) -> str:
    """A time of the API, to the minute in the machine's own time zone."""
    if moment is None:
        return "–"
    at = datetime.fromisoformat(moment) if isinstance(moment, str) else moment
    return at.astimezone().strftime("%Y-%m-%d %H:%M")


def minutes(seconds: float | None) -> str:
    """A length of time as a clock shows it: ``1:05``."""
    if seconds is None:
        return "–"
    whole, rest = divmod(int(seconds), 60)
    return f"{whole}:{rest:02d}"


def dollars(amount: float | None) -> str:
    return "–" if amount is None else f"${amount:.4f}"
