"""When a business is open, as its owner wrote it: ``We are open Monday to Friday from 8 to 6.``"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, time

from pipelines.playbook.values.phrase import phrase
from pipelines.playbook.values.times import speak_time

_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_DAY = rf"(?:{'|'.join(day[:3] for day in _DAYS)})[a-z]*"
_SPAN = (
    rf"(?:{_DAY}(?: (?:to|through|thru|till|until|and|or) {_DAY}| {_DAY})*"
    r"|daily|every ?day|all days|(?:seven|7) days(?: a week)?|weekdays|weekends?)"
)
_HALF = r"(?: ?(?P<{0}_half>am|pm|in the morning|in the afternoon|in the evening|at night))?"
_CLOCK = (
    r"(?P<{0}>\d{{1,2}})(?:[:.](?P<{0}_minute>\d\d)| (?P<{0}_spoken>[0-5]\d))?(?: oclock)?" + _HALF
)
_RANGE = re.compile(
    rf"{_CLOCK.format('open')} (?:to|until|till|through) "
    rf"(?:{_CLOCK.format('close')}|(?P<noon>noon|midday)|(?P<midnight>midnight))"
)
_OPEN = re.compile(rf"\b(?P<days>{_SPAN})\b")
_CLOSED = re.compile(
    rf"\bclosed (?:on |every |all day )*(?P<days>{_SPAN})\b|\b(?P<before>{_SPAN})(?: we are|s "
    rf"are| is)? closed\b"
)
_ABOUT_HOURS = re.compile(r"\b(?:open|opened|opening|closed|hours)\b")
_MIDNIGHT = 24 * 60


@dataclass(frozen=True, slots=True)
class OpeningHours:
    """Minutes since midnight of opening and closing, by weekday (Monday is 0). A weekday that is
    missing is closed. Empty if the hours are not known."""

    by_weekday: Mapping[int, tuple[int, int]] = field(default_factory=dict)
    closed: frozenset[int] = frozenset()

    def is_closed_on(self, day: date) -> bool:
        weekday = day.weekday()
        return weekday in self.closed or (bool(self.by_weekday) and weekday not in self.by_weekday)

    def is_open_at(self, clock: time, day: date | None) -> bool:
        """Without a day: on any day. If the hours are not known, always."""
        minute = clock.hour * 60 + clock.minute
        if not self.by_weekday:
            return True
        if day is not None and day.weekday() not in self.by_weekday:
            return False
        spans = self.by_weekday.values() if day is None else (self.by_weekday[day.weekday()],)
        return any(_is_within(minute, span) for span in spans)

    def on(self, day: date) -> str:
        """``from nine in the morning to five in the afternoon``; empty if not known."""
        span = self.by_weekday.get(day.weekday())
        if span is None:
            return ""
        opening, closing = (time(minute % _MIDNIGHT // 60, minute % 60) for minute in span)
        opens, closes = (speak_time(at).removeprefix("at ") for at in (opening, closing))
        return f"from {opens} to {closes}"


NOT_KNOWN = OpeningHours()


def opening_hours(sentences: Iterable[str]) -> OpeningHours:
    """The hours that ``sentences`` state together."""
    by_weekday: dict[int, tuple[int, int]] = {}
    closed: set[int] = set()
    for sentence in sentences:
        text = phrase(re.sub(r"\s*[-–—]\s*", " to ", sentence)).text
        if not _ABOUT_HOURS.search(text):
            continue
        for match in _CLOSED.finditer(text):
            closed |= _weekdays(match["days"] or match["before"])
        open_text = _CLOSED.sub(" ", text)
        for weekday, span in _open_spans(open_text):
            by_weekday.setdefault(weekday, span)
    return OpeningHours(
        {day: by_weekday[day] for day in by_weekday if day not in closed}, frozenset(closed)
    )


def _open_spans(text: str) -> Iterable[tuple[int, tuple[int, int]]]:
    """Each range of hours belongs to the days before it, else to those behind it, else to all."""
    ranges = list(_RANGE.finditer(text))
    days = list(_OPEN.finditer(text))
    for number, found in enumerate(ranges):
        since = ranges[number - 1].end() if number else 0
        until = ranges[number + 1].start() if number + 1 < len(ranges) else len(text)
        before = [day for day in days if since <= day.start() < found.start()]
        behind = [day for day in days if found.end() <= day.start() < until]
        named = before or behind
        weekdays = (
            set().union(*(_weekdays(day["days"]) for day in named)) if named else set(range(7))
        )
        if (span := _span(found)) is not None:
            yield from ((weekday, span) for weekday in weekdays)


def _weekdays(span: str) -> set[int]:
    if span.startswith(("daily", "every", "all", "7", "seven")):
        return set(range(7))
    if span.startswith("weekday"):
        return set(range(5))
    if span.startswith("weekend"):
        return {5, 6}
    found: set[int] = set()
    words = span.split()
    last: int | None = None
    is_range = False
    for word in words:
        at = next((i for i, day in enumerate(_DAYS) if word.startswith(day[:3])), None)
        if at is None:
            is_range = word in ("to", "through", "thru", "till", "until")
            continue
        if is_range and last is not None:
            found |= {(last + step) % 7 for step in range((at - last) % 7 + 1)}
        found.add(at)
        last, is_range = at, False
    return found


def _span(match: re.Match[str]) -> tuple[int, int] | None:
    opening = _minute(match, "open")
    if match["noon"]:
        closing = 12 * 60
    elif match["midnight"]:
        closing = _MIDNIGHT
    else:
        closing = _minute(match, "close")
        is_bare = match["close_half"] is None
        if is_bare and closing <= opening and closing <= 12 * 60:
            closing += 12 * 60
    if match["open_half"] is None and match["close_half"] and opening + 12 * 60 < closing:
        # "5 to 11 pm" is in the evening; "9 to 6 pm" begins in the morning.
        opening += 12 * 60 if opening < 6 * 60 else 0
    if closing <= opening:
        closing += _MIDNIGHT
    return (opening, closing) if opening < _MIDNIGHT else None


def _minute(match: re.Match[str], name: str) -> int:
    hour = int(match[name]) % 24
    half = match[f"{name}_half"] or ""
    if hour <= 12 and half:
        hour = hour % 12 + (0 if half in ("am", "in the morning") else 12)
    return hour * 60 + int(match[f"{name}_minute"] or match[f"{name}_spoken"] or 0)


def _is_within(minute: int, span: tuple[int, int]) -> bool:
    opening, closing = span
    return opening <= minute < closing or opening <= minute + _MIDNIGHT < closing
