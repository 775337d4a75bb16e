"""The bounds of a period from query parameters. Pure. Source: API spec, "Billing"."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

from control_plane.platform.errors import InvalidRequest


def period_start(text: str | None) -> datetime | None:
    """The first instant of a period from an ISO date or time, which is UTC if it has no time zone.

    Raises:
        InvalidRequest: ``text`` is neither an ISO date nor a time.
    """
    return None if text is None else _parsed(text, "from")


def period_end(text: str | None) -> datetime | None:
    """The first instant after the period, which is the end of the day of ``text``.

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


def first_and_last_day(
    since: str | None, until: str | None, now: datetime, latest: timedelta
) -> tuple[date, date]:
    """The first and the last UTC day of a period, which by default ends today and begins ``latest``
    before its end.

    Raises:
        InvalidRequest: a text is neither an ISO date nor a time, or the period ends before it
            begins.
    """
    last = (now if until is None else _parsed(until, "to")).astimezone(UTC).date()
    if since is not None:
        first = _parsed(since, "from").date()
    else:
        first = max(last, date.min + latest) - latest
    if first > last:
        raise InvalidRequest.at("from", "must not be after 'to'")
    return first, last


def _parsed(text: str, field: str) -> datetime:
    # An unescaped '+' in the query arrives as a space.
    try:
        parsed = datetime.fromisoformat(text.strip().replace(" ", "+"))
        return (parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise InvalidRequest.at(field, "is not an ISO date such as 2026-01-31") from error
