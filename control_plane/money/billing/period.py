"""Bounds of a period, as query parameters give them. Pure. Source: API spec, "Billing"."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from control_plane.platform.errors import InvalidRequest


def period_start(text: str | None) -> datetime | None:
    """The first instant of a period from an ISO date or time; without a zone it is UTC.

    Raises:
        InvalidRequest: ``text`` is neither.
    """
    return None if text is None else _parsed(text, "from")


def period_end(text: str | None) -> datetime | None:
    """The first instant after the period: the end of the day on which ``text`` lies.

    Raises:
        InvalidRequest: ``text`` is neither an ISO date nor a time.
    """
    if text is None:
        return None
    last = _parsed(text, "to").astimezone(UTC)
    try:
        return last.replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=1)
    except OverflowError:
        return None


def _parsed(text: str, field: str) -> datetime:
    # A '+' that was not escaped in the query arrives as a space.
    try:
        parsed = datetime.fromisoformat(text.strip().replace(" ", "+"))
        return (parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise InvalidRequest.at(field, "is not an ISO date such as 2026-01-31") from error
