"""What a day's or a month's summary of calls says, and when it is due. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any, Literal
from zoneinfo import ZoneInfo

from contracts.money import usd

TOLD_FROM = time(8)
"""The tenant's local time, so that nobody is woken."""

SummaryCategory = Literal["call.daily_summary", "call.monthly_summary"]


@dataclass(frozen=True)
class Period:
    """Local days: ``first`` is its first one, ``end`` the first one after it."""

    category: SummaryCategory
    first: date
    end: date

    def times_in(self, zone: ZoneInfo) -> tuple[datetime, datetime]:
        """When it began and ended."""
        return (
            datetime.combine(self.first, time(0), zone),
            datetime.combine(self.end, time(0), zone),
        )

    @property
    def words(self) -> str:
        is_day = self.category == "call.daily_summary"
        return f"{self.first:%d %B %Y}" if is_day else f"{self.first:%B %Y}"


@dataclass(frozen=True)
class Figures:
    """Of the calls that were created in a period and are over."""

    calls: int
    completed: int
    connected_ms: int
    cost_micros: int


def periods_due(now: datetime, zone: ZoneInfo) -> tuple[Period, ...]:
    """What is to be told at ``now``: of yesterday, and in the first days of a month of the last
    one. It stays due for a while, so that nothing is missed while no jobs process runs."""
    local = now.astimezone(zone)
    if local.time() < TOLD_FROM:
        return ()
    today = local.date()
    yesterday = Period("call.daily_summary", today - timedelta(days=1), today)
    if today.day > 7:
        return (yesterday,)
    this_month = today.replace(day=1)
    last_month = (this_month - timedelta(days=1)).replace(day=1)
    return yesterday, Period("call.monthly_summary", last_month, this_month)


def summary_of(period: Period, figures: Figures) -> tuple[str, str, dict[str, Any]]:
    """Title, message and metadata of the notification."""
    minutes = figures.connected_ms / 60_000
    title = f"Your calls of {period.words}"
    message = (
        f"{figures.calls} {'call' if figures.calls == 1 else 'calls'}, {figures.completed} of them"
        f" completed; {minutes:.1f} minutes for ${usd(figures.cost_micros):.2f}."
    )
    return (
        title,
        message,
        {
            "from": period.first.isoformat(),
            "to": (period.end - timedelta(days=1)).isoformat(),
            "calls": figures.calls,
            "completed": figures.completed,
            "minutes": round(minutes, 2),
            "cost_usd": usd(figures.cost_micros),
        },
    )
