"""Calendar days in free sentences, relative to a given day.

Conventions: a bare weekday is the next one after today; "next Tuesday" is the Tuesday of the
next calendar week (weeks start on Monday); a day without a year is in the future, unless it is a
day of birth. Numeric dates start with the month, as in American English.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, timedelta

from rapidfuzz import fuzz, process

from pipelines.playbook.values.numbers_in_words import ordinal
from pipelines.playbook.values.phrase import Found, Phrase

_WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
_MONTHS = (
    "january february march april may june july august september october november december".split()
)
_SHORT_FORMS = {
    "mon": "monday",
    "tue": "tuesday",
    "tues": "tuesday",
    "wed": "wednesday",
    "weds": "wednesday",
    "thu": "thursday",
    "thur": "thursday",
    "thurs": "thursday",
    "fri": "friday",
    "jan": "january",
    "feb": "february",
    "aug": "august",
    "sept": "september",
    "oct": "october",
    "nov": "november",
    "dec": "december",
}
_LONG_NAMES = [name for name in (*_WEEKDAYS, *_MONTHS) if len(name) > 5]
_NAME_SIMILARITY = 80
"""Percentage of equal letters from which a misspelt weekday or month is recognised."""

_WEEKDAY = rf"(?P<weekday>{'|'.join(_WEEKDAYS)})s?"
_MONTH = rf"(?P<month>{'|'.join(_MONTHS)})"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_ORDINAL_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)"
_YEAR = r"(?:(?: of)? (?P<year>(?:19|20)\d\d|(?:19|20) (?:\d\d|(?:oh?|0) \d)))?"
_SHORT_YEAR = r"(?:of )?(?P<year>\d\d|(?:oh?|0) \d)"

_Resolver = Callable[[re.Match[str], date, bool], date | None]


def _in_year(match: re.Match[str], today: date, past: bool, month: int) -> date | None:
    """The matched day of ``month``: in the year that was said, else in the nearest that fits."""
    day, year = int(match["day"]), match["year"]
    if year:
        digits = year.replace("oh", "0").replace("o", "0").replace(" ", "")
        if len(digits) > 2:
            return _valid(int(digits), month, day)
        in_this_century = _valid(2000 + int(digits), month, day)
        if past and not (in_this_century and in_this_century <= today):
            return _valid(1900 + int(digits), month, day)
        return in_this_century
    # Eight years cover every 29th of February.
    years = (today.year + (-step if past else step) for step in range(9))
    candidates = (_valid(year, month, day) for year in years)
    return next((d for d in candidates if d and (d <= today if past else d >= today)), None)


def _valid(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _month_and_day(match: re.Match[str], today: date, past: bool) -> date | None:
    return _in_year(match, today, past, _MONTHS.index(match["month"]) + 1)


def _numeric(match: re.Match[str], today: date, past: bool) -> date | None:
    month = int(match["month"])
    return _in_year(match, today, past, month) if 1 <= month <= 12 else None


def _iso(match: re.Match[str], today: date, past: bool) -> date | None:
    return _valid(*(int(part) for part in match.groups()))


def _day_of_month(match: re.Match[str], today: date, past: bool) -> date | None:
    day = int(match["day"])
    month_starts = [date(today.year + m // 12, m % 12 + 1, 1) for m in _months_from(today)]
    candidates = (_valid(start.year, start.month, day) for start in month_starts)
    return next((d for d in candidates if d and d >= today), None)


def _months_from(today: date) -> range:
    return range(today.month - 1, today.month + 12)


def _weekday(match: re.Match[str], today: date, past: bool) -> date:
    groups = match.groupdict()
    if groups.get("day"):
        day = _day_of_month(match, today, past)
        # If the weekday does not fit the day of the month, it is the weekday that was misheard.
        if day is not None:
            return day
    is_next = (groups.get("which") or "").startswith("next") or bool(groups.get("after"))
    coming = _coming(today, match["weekday"], is_next=is_next)
    return coming + timedelta(days=7) if groups.get("later") else coming


def _weekday_in_weeks(match: re.Match[str], today: date, past: bool) -> date:
    weeks = 1 if match["count"] == "a" else int(match["count"])
    monday = today + timedelta(days=7 * weeks - today.weekday())
    return monday + timedelta(days=_WEEKDAYS.index(match["weekday"]))


def _coming(today: date, name: str, *, is_next: bool) -> date:
    weekday = _WEEKDAYS.index(name)
    if is_next:
        return today + timedelta(days=7 + weekday - today.weekday())
    return today + timedelta(days=(weekday - today.weekday() - 1) % 7 + 1)


def _tuesday(match: re.Match[str], today: date, past: bool) -> date | None:
    return _coming(today, "tuesday", is_next=match["which"] == "next ")


def _in_days(match: re.Match[str], today: date, past: bool) -> date | None:
    count = 1 if match["count"] in ("a", "one") else int(match["count"])
    days = count * (7 if match["unit"] == "week" else 1)
    return today + timedelta(days=days) if days <= 1000 else None


def _no_day(match: re.Match[str], today: date, past: bool) -> date | None:
    return None


def _after_days(days: int) -> _Resolver:
    return lambda match, today, past: today + timedelta(days=days)


_COUNTED = (
    r"(?:thing|appointment|slot|opening|time|day|date|week|weekend|half|part|quarter|option|choice|"
    r"visit|floor)s?"
)
"""What is counted by an ordinal before it: "first thing" is no 1st of a month."""
_COUNT = r"(?P<count>a|\d{1,3}) (?P<unit>day|week)s?"
_WEEKS = r"(?P<count>a|\d{1,2}) weeks?"
_PATTERNS: tuple[tuple[re.Pattern[str], _Resolver], ...] = tuple(
    (re.compile(rf"(?<!\S){pattern}(?!\S)"), resolver)
    for pattern, resolver in (
        (r"(?:a|1|any|every|another|split) 2nd", _no_day),
        (rf"(?:the )?(?:1st|2nd|3rd|4th)(?= {_COUNTED}(?!\S))", _no_day),
        (r"(?:the )?1st (?:available|possible|free)", _no_day),
        (r"(\d{4})/(\d\d)/(\d\d)", _iso),
        (r"(?:the )?day after tomorrow", _after_days(2)),
        (r"in (?:a )?fortnight", _after_days(14)),
        (rf"{_WEEKDAY} in {_WEEKS}", _weekday_in_weeks),
        (rf"in {_WEEKS} on (?:a )?{_WEEKDAY}", _weekday_in_weeks),
        (rf"{_WEEKDAY} after next", _no_day),
        (rf"\d+ {_WEEKDAY} from (?:now|today)", _no_day),
        (rf"(?:1st|2nd|3rd|4th|5th) {_WEEKDAY}(?= (?:of|in) )", _no_day),
        (rf"last {_WEEKDAY}", _no_day),
        (rf"in {_COUNT}", _in_days),
        (rf"{_COUNT} from (?:now|today)", _in_days),
        (rf"(?:{_WEEKDAY} )?(?:the )?{_DAY} (?:of )?{_MONTH}{_YEAR}", _month_and_day),
        (rf"(?:{_WEEKDAY} )?{_MONTH} (?:the )?{_DAY}{_YEAR}", _month_and_day),
        (r"(?P<month>\d{1,2})/(?P<day>\d{1,2})(?:/(?P<year>\d{4}|\d\d))?", _numeric),
        (rf"{_WEEKDAY} (?P<later>week)", _weekday),
        (rf"{_WEEKDAY} (?P<after>(?:of )?next week)", _weekday),
        (rf"{_WEEKDAY} (?:the )?{_ORDINAL_DAY}", _weekday),
        (rf"(?P<which>next week (?:on )?|next |this |this coming |coming )?{_WEEKDAY}", _weekday),
        (rf"the {_ORDINAL_DAY}", _day_of_month),
        (r"tomorrow", _after_days(1)),
        (r"today|tonight|this (?:morning|afternoon|evening)", _after_days(0)),
    )
)
_FROM_ANOTHER = re.compile(
    r"(?<!\S)(?:(?<!for )(?P<count>a|the|\d{1,3}) (?P<unit>day|week|fortnight)s? "
    r"(?P<way>after|before|from|on)|after|before|until|till|since) (?:the )?$"
)
"""What stands before a day that is not the one that is meant."""
_DAYS = {"day": 1, "week": 7, "fortnight": 14}
_MISHEARD_TUESDAY = re.compile(r"(?<!\S)(?P<which>next |this |on )?(?:to|2|twos|tues) day(?!\S)")
"""What recognisers often write for "Tuesday". Only believed when a day was asked for."""
_BARE_DAY = re.compile(rf"(?<!\S){_ORDINAL_DAY}(?!\S)")
_OF_BIRTH: tuple[tuple[re.Pattern[str], _Resolver], ...] = tuple(
    (re.compile(rf"(?<!\S){day} (?!(?:19|20) (?:\d|oh?(?!\S))){_SHORT_YEAR}(?!\S)"), _month_and_day)
    for day in (
        rf"{_DAY} (?:of )?{_MONTH}",
        rf"(?<!of )(?<!\d )(?<!(?:st|nd|rd|th) ){_MONTH} (?:the )?{_DAY}",
    )
)
"""Only of a birth are two digits after the day a year: elsewhere they may be a time."""
_WHEN_EXPECTED: tuple[tuple[re.Pattern[str], _Resolver], ...] = (
    (_BARE_DAY, _day_of_month),
    (_MISHEARD_TUESDAY, _tuesday),
)


def find_dates(said: Phrase, today: date, *, expected: bool, past: bool = False) -> list[Found]:
    """Days in the order in which they were said.

    Args:
        expected: the caller was asked for a day, so "the" may be missing before "24th" and misspelt
            names count.
        past: the day is in the past (a day of birth).
    """
    # The repair keeps the number of tokens, because the words of a match are found by counting.
    text = " ".join(_repaired(word, expected) for word in said.text.split(" "))
    of_birth = _OF_BIRTH if past else ()
    patterns = (*of_birth, *_PATTERNS, *(_WHEN_EXPECTED if expected else ()))
    found: list[Found] = []
    for pattern, resolve in patterns:
        for match in pattern.finditer(text):
            day = resolve(match, today, past)
            start = match.start()
            if day is not None and (other := _FROM_ANOTHER.search(text, 0, start)) is not None:
                day, start = _meant(day, other), other.start()
            text = text[:start] + _blanked(text[start : match.end()]) + text[match.end() :]
            if day is None:
                continue
            said_there = text[start : match.end()].count(" ") + 1
            tokens = said.tokens[text.count(" ", 0, start) :][:said_there]
            words = range(tokens[0].first, tokens[-1].last + 1)
            found.append(Found(day.isoformat(), speak_date(day, today), words))
    return sorted(found, key=lambda item: item.words.start)


def _meant(day: date, other: re.Match[str]) -> date | None:
    """The day that is so far from ``day``; ``None`` if it is any day before or after it."""
    count, unit, way = other["count"], other["unit"], other["way"]
    if unit is None or (unit, way) == ("day", "on") or (unit != "day" and count == "the"):
        return None
    days = _DAYS[unit] * (int(count) if count.isdecimal() else 1)
    try:
        return day + timedelta(days=-days if way == "before" else days)
    except OverflowError:
        return None


def _blanked(matched: str) -> str:
    return re.sub(r"\S", "|", matched)


def _repaired(word: str, expected: bool) -> str:
    if word in _SHORT_FORMS:
        return _SHORT_FORMS[word]
    if expected and len(word) > 5:
        best = process.extractOne(
            word, _LONG_NAMES, scorer=fuzz.ratio, score_cutoff=_NAME_SIMILARITY
        )
        return best[0] if best else word
    return word


def speak_date(day: date, today: date) -> str:
    """``Tuesday the 24th of November``; with the year if it is far from today."""
    spoken = f"{_WEEKDAYS[day.weekday()].title()} the {ordinal(day.day)} of "
    spoken += _MONTHS[day.month - 1].title()
    if not -31 <= (day - today).days <= 330:
        return f"the {ordinal(day.day)} of {_MONTHS[day.month - 1].title()} {day.year}"
    return spoken
