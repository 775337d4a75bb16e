"""When a business is open, as its owner wrote it: ``We are open Monday to Friday from 8 to 6.``"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
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
_NEXT_TIME = re.compile(r"(?<=\d)\s*[,;/]\s*(?=\d)")
"""``9-12, 14-18``: without the comma, 14 would be the minutes of 12."""
_ABOUT_HOURS = re.compile(r"\b(?:open|opened|opening|closed|hours)\b")
_MIDNIGHT = 24 * 60
_Span = tuple[int, int]
"""Minutes since midnight."""


@dataclass(frozen=True, slots=True)
class OpeningHours:
    """Minutes since midnight of opening and closing, by weekday (Monday is 0): two for each time
    that the business opens on it. A weekday that is missing is closed. Empty if the hours are not
    known."""

    by_weekday: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
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
        asked = self.by_weekday.values() if day is None else (self.by_weekday[day.weekday()],)
        return any(_is_within(minute, span) for minutes in asked for span in _spans(minutes))

    def on(self, day: date) -> str:
        """``from nine in the morning to noon and from two in the afternoon to six in the evening``;
        empty if not known."""
        return " and ".join(
            f"from {_spoken(opening)} to {_spoken(closing)}"
            for opening, closing in _spans(self.by_weekday.get(day.weekday(), ()))
        )


NOT_KNOWN = OpeningHours()


def opening_hours(sentences: Iterable[str]) -> OpeningHours:
    """The hours that ``sentences`` state together."""
    spans: dict[int, list[_Span]] = {}
    closed: set[int] = set()
    for sentence in sentences:
        divided = _NEXT_TIME.sub(" and ", sentence)
        text = phrase(re.sub(r"\s*[-–—]\s*", " to ", divided)).text
        if not _ABOUT_HOURS.search(text):
            continue
        for match in _CLOSED.finditer(text):
            closed |= _weekdays(match["days"] or match["before"])
        open_text = _CLOSED.sub(" ", text)
        for weekday, found, said in _open_spans(open_text):
            known = spans.setdefault(weekday, [])
            span = _after_break(said, known[-1]) if known and not found["open_half"] else said
            # What contradicts an earlier one is left out.
            if not any(_overlap(span, each) for each in known):
                known.append(span)
    by_weekday = {
        day: tuple(minute for span in sorted(known) for minute in span)
        for day, known in spans.items()
        if day not in closed
    }
    return OpeningHours(by_weekday, frozenset(closed))


def _after_break(span: _Span, before: _Span) -> _Span:
    """``span``, whose half of the day is not said: "9 to 12 and 2 to 6" ends in the evening."""
    opening, closing = span[0] + _MIDNIGHT // 2, span[1]
    if closing <= opening:
        closing += _MIDNIGHT // 2
    is_later = span[0] < before[0] and before[1] <= opening and closing <= _MIDNIGHT
    return (opening, closing) if is_later else span


def _open_spans(text: str) -> Iterator[tuple[int, re.Match[str], _Span]]:
    """The hours that ``text`` states, and where, for each weekday that they hold on."""
    ranges = [(found, span) for found in _RANGE.finditer(text) if (span := _span(found))]
    spans = [span for _, span in ranges]
    starts = [0, *(found.end() for found, _ in ranges)]
    ends = [*(found.start() for found, _ in ranges), len(text)]
    gaps = [_days_named(text, start, end) for start, end in zip(starts, ends, strict=True)]
    for (found, span), weekdays in zip(ranges, _days_of(spans, gaps), strict=True):
        yield from ((weekday, found, span) for weekday in sorted(weekdays or range(7)))


def _days_named(text: str, start: int, end: int) -> frozenset[int]:
    found = (day for day in _OPEN.finditer(text) if start <= day.start() < end)
    return frozenset(weekday for day in found for weekday in _weekdays(day["days"]))


def _days_of(spans: Sequence[_Span], gaps: Sequence[frozenset[int]]) -> list[frozenset[int]]:
    """The days of each span; none, if they are not said.

    They stand before it, else behind it. A span without days of its own comes after a break: it is
    of the same days as the one before it or, at the beginning, as the next one.

    Args:
        gaps: the days that are named before the first span, between each two, and behind the last.
    """
    days: list[frozenset[int]] = []
    taken = -1
    for number in range(len(spans)):
        behind = number + 1
        if gaps[number] and number != taken:
            days.append(gaps[number])
        # Days before a span that nothing is behind are of that one.
        elif gaps[behind] and (behind == len(spans) or gaps[behind + 1]):
            days.append(gaps[behind])
            taken = behind
        else:
            days.append(days[-1] if days else frozenset())
    for number in reversed(range(len(spans) - 1)):
        if not days[number] and not _overlap(spans[number], spans[number + 1]):
            days[number] = days[number + 1]
    return days


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


def _span(match: re.Match[str]) -> _Span | None:
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


def _is_within(minute: int, span: _Span) -> bool:
    opening, closing = span
    return opening <= minute < closing or opening <= minute + _MIDNIGHT < closing


def _overlap(one: _Span, other: _Span) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def _spans(minutes: Sequence[int]) -> Iterator[_Span]:
    return zip(minutes[::2], minutes[1::2], strict=True)


def _spoken(minute: int) -> str:
    return speak_time(time(minute % _MIDNIGHT // 60, minute % 60)).removeprefix("at ")
