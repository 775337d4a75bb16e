"""Which days of the ledger are audited next. Pure.

The two newest days are audited each time, and those that were wrong until they are right. Of the
others, those come first whose audit is the longest ago, so that a wrong entry is found in the end,
whatever its day is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime

NEWEST_DAYS = 2
"""Transactions that began before midnight may still post to the day before."""


@dataclass(frozen=True)
class AuditedDay:
    """A UTC day with entries, and its last audit. ``audited_at`` is ``None`` if it had none."""

    day: date
    audited_at: datetime | None
    balanced: bool = True


@dataclass(frozen=True)
class Span:
    """The days whose entries are compared with their totals: ``day``, and those around it that have
    no totals. ``until`` is exclusive; ``None``: no bound."""

    day: date
    since: date | None
    until: date | None


def in_turn(days: Sequence[AuditedDay]) -> Iterator[Span]:
    """Every day in the order in which it is to be audited.

    Args:
        days: all that have totals, oldest first. Together, their spans cover all of time: so an
            entry at a time that has no totals is found, too.
    """
    last = len(days) - 1
    spans = [
        (
            each,
            Span(
                each.day,
                since=None if index == 0 else each.day,
                until=None if index == last else days[index + 1].day,
            ),
        )
        for index, each in enumerate(days)
    ]
    newest, older = spans[-NEWEST_DAYS:], spans[:-NEWEST_DAYS]
    older.sort(key=lambda spanned: _order(spanned[0]))
    for _, span in [*newest, *older]:
        yield span


def _order(each: AuditedDay) -> tuple[bool, float, date]:
    """Days that were wrong come first, then those never audited, then the longest ago."""
    audited_at = 0.0 if each.audited_at is None else each.audited_at.timestamp()
    return each.balanced, audited_at, each.day
