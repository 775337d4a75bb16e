"""Months of UTC, in which plan credit is granted. Pure."""

from __future__ import annotations

from datetime import UTC, date, datetime, time


def month_of(at: datetime) -> date:
    """The first day of the month of ``at``, which has a time zone."""
    return at.astimezone(UTC).date().replace(day=1)


def next_month(month: date) -> date:
    """The first day of the month after the one that begins with ``month``."""
    return date(month.year + month.month // 12, month.month % 12 + 1, 1)


def begins_at(month: date) -> datetime:
    return datetime.combine(month, time(), UTC)


def month_name(month: date) -> str:
    """Such as ``2026-01``."""
    return f"{month:%Y-%m}"


def credit_reference(month: date) -> str:
    """What the ledger entry that grants the month's credit is for."""
    return f"plan_credit:{month_name(month)}"
