"""Times of day in free sentences: ``HH:MM``, or only a part of the day ("morning").

An hour without "am", "pm" or a part of the day is assumed to be in the daytime: 8 to 11 is in the
morning, 12 to 7 in the afternoon. The agent repeats it with its part of the day, so that the caller
can correct it ("no, in the evening").
"""

from __future__ import annotations

import re
from datetime import time
from typing import Any

from pipelines.playbook.values.numbers_in_words import spelled
from pipelines.playbook.values.phrase import Found, Phrase

_EARLIEST_HOUR = 5
_PARTS_OF_DAY = ("morning", "afternoon", "evening", "night")
_PART_OF_DAY = re.compile(
    r"(?<!\S)(?<!good )(?:(?:in the|at|this|the) )?(morning|afternoon|evening|night)s?(?!\S)"
)
_PART_OF_TODAY = re.compile(r"(?<!\S)(?:tonight|this (morning|afternoon|evening))(?!\S)")
_ANOTHER_DAY = re.compile(
    r"\b(?:tomorrow|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|not (?:tonight|this))\b"
)
_AROUND_LUNCH = (
    (re.compile(r"after (?:lunch|(?:12 )?(?:noon|midday))"), "afternoon"),
    (re.compile(r"before (?:lunch|(?:12 )?(?:noon|midday))"), "morning"),
)
_HALF = r"(?: (?P<half>am|pm)|(?: (?:in the|at))? (?P<part>morning|afternoon|evening|night))?"
_OCLOCK = r"(?: (?:oclock|o clock))?"
_HOUR = r"(?P<hour>[01]?\d|2[0-4])"
_NAMED_HOURS = {"noon": "12", "midday": "12", "midnight": "24"}
_HOUR_OR_NAME = rf"(?P<hour>[01]?\d|2[0-4]|{'|'.join(_NAMED_HOURS)})"
_MINUTE = r"(?P<minute>[0-5]\d)"
_CLOCK = rf"{_HOUR_OR_NAME}(?:[ :.]{_MINUTE})?{_OCLOCK}{_HALF}"
_NO_CLOCK = (
    r"(?! (?:of|people|persons?|guests?|adults?|kids|children|days?|weeks?|months?|years?|"
    r"minutes?|hours?|dollars?|euros?|pounds?|percent|th|\d))"
)

_ALWAYS = tuple(
    re.compile(rf"(?<!\S){pattern}(?!\S)")
    for pattern in (
        rf"(?:an|(?P<hours_off>half an|\d{{1,2}})) hours? (?P<way>before|after|past) {_CLOCK}",
        rf"half (?:past )?{_HOUR_OR_NAME}{_OCLOCK}{_HALF}(?P<past_30>)",
        rf"(?:a )?quarter (?:past|after) {_HOUR_OR_NAME}{_OCLOCK}{_HALF}(?P<past_15>)",
        rf"(?:a )?quarter (?:to|till|before|of) {_HOUR_OR_NAME}{_OCLOCK}{_HALF}(?P<to_15>)",
        rf"(?P<past>[0-5]?\d)(?: minutes)? (?:past|after) {_HOUR_OR_NAME}{_OCLOCK}{_HALF}",
        rf"(?P<to>[0-5]?\d)(?: minutes (?:to|till)|(?: minutes)? before) {_HOUR_OR_NAME}{_OCLOCK}"
        rf"{_HALF}",
        # "From ten to four" and "nine to five" are hours.
        rf"(?<!from )(?P<to>5|10|15|20|25) (?:to|till) {_HOUR_OR_NAME}{_OCLOCK}{_HALF}",
        rf"{_HOUR}[:.]{_MINUTE}(?:[:.]\d\d)?{_HALF}",
        rf"{_HOUR} (?:o |oh |0 )?(?P<minute>[0-5]?\d) (?P<half>am|pm)",
        rf"{_HOUR} {_MINUTE}{_HALF}",
        rf"{_HOUR} (?:o|oh|0) (?P<minute>\d){_HALF}",
        rf"{_HOUR} (?:oclock|o clock){_HALF}",
        rf"{_HOUR} (?P<half>am|pm)",
        rf"{_HOUR}(?: (?:in the|at))? (?P<part>morning|afternoon|evening|night)",
        r"(?<!before )(?<!after )(?:12 )?(?<!before 12 )(?<!after 12 )(?P<noon>noon|midday)",
        r"(?:12 )?(?P<midnight>midnight)",
        rf"(?:at|around|about) {_HOUR}{_NO_CLOCK}",
    )
)
_WHEN_EXPECTED = tuple(
    re.compile(rf"(?<!\S){pattern}(?!\S)")
    for pattern in (
        rf"(?P<to>5|10|20|25) of {_HOUR_OR_NAME}{_OCLOCK}{_HALF}",
        rf"{_HOUR}{_NO_CLOCK}(?! (?:noon|midday)(?!\S))",
    )
)
_ANY_TIME = re.compile(
    r"any ?time|whenever|(?:doesnt|does not|dont|do not) (?:really )?(?:matter|mind|care)|all day"
)


def find_times(said: Phrase, *, expected: bool) -> list[Found]:
    """Clock times in the order in which they were said. If there are none, parts of the day.

    ``expected``: the caller was asked for a time, so "three" and "any time" count.
    """
    text = said.text
    found: list[Found] = []
    loose_part = _PART_OF_DAY.search(text)
    part_of_day = loose_part[1] if loose_part else _part_of_today(said)
    for pattern in (*_ALWAYS, *_WHEN_EXPECTED) if expected else _ALWAYS:
        for match in pattern.finditer(text):
            clock = _clock(match, part_of_day)
            if clock is None:
                continue
            words = said.word_span(match.start(), match.end())
            if loose_part and loose_part.start() >= match.end():
                words = range(words.start, said.word_span(*loose_part.span()).stop)
            is_assumed = _is_half_assumed(match, part_of_day is not None)
            found.append(Found(clock.strftime("%H:%M"), speak_time(clock), words, is_assumed))
            text = text[: match.start()] + re.sub(r"\S", "|", match[0]) + text[match.end() :]
    if found:
        return sorted(found, key=lambda item: item.words.start)
    if loose_part:
        part = loose_part[1]
        spoken = "at night" if part == "night" else f"in the {part}"
        return [Found(part, spoken, said.word_span(*loose_part.span()))]
    for pattern, part in _AROUND_LUNCH:
        if lunch := pattern.search(text):
            return [Found(part, f"in the {part}", said.word_span(*lunch.span()))]
    if expected and (any_time := _ANY_TIME.search(text)):
        return [Found("any", "at any time", said.word_span(*any_time.span()))]
    return []


def _part_of_today(said: Phrase) -> str | None:
    """Of "tonight" or "this morning". Whoever looks for a day may have taken these words."""
    today = _PART_OF_TODAY.search(said.plain)
    if today is None or _ANOTHER_DAY.search(said.plain):
        return None
    return today[1] or "evening"


def shifted(known: str, part: str) -> Found | None:
    """``known`` ("07:00") moved to the half of the day that ``part`` ("evening") is in."""
    if part not in _PARTS_OF_DAY or ":" not in known:
        return None
    hour, minute = (int(number) for number in known.split(":"))
    moved = _hour_in(hour % 12, part)
    # A caller who says "morning" and then "four" does not mean four in the morning.
    clock = time(hour if moved < _EARLIEST_HOUR else moved, minute)
    return Found(clock.strftime("%H:%M"), speak_time(clock), range(0))


def other_half(found: Found) -> Found:
    """The same clock face, twelve hours earlier or later."""
    clock = time.fromisoformat(found.value)
    moved = time((clock.hour + 12) % 24, clock.minute)
    return Found(moved.strftime("%H:%M"), speak_time(moved), found.words)


def _is_half_assumed(match: re.Match[str], has_part: bool) -> bool:
    groups = _groups(match)
    if has_part or groups.get("part") or groups.get("half"):
        return False
    hour = groups.get("hour")
    return hour is not None and 1 <= int(hour) <= 11 and not hour.startswith("0")


def _groups(match: re.Match[str]) -> dict[str, str | Any]:
    groups = match.groupdict()
    if "hour" in groups:
        groups["hour"] = _NAMED_HOURS.get(groups["hour"], groups["hour"])
    return groups


def _clock(match: re.Match[str], loose_part: str | None) -> time | None:
    groups = _groups(match)
    if groups.get("noon"):
        return time(12)
    if groups.get("midnight"):
        return time(0)
    hour = int(groups["hour"]) % 24
    minute = int(groups.get("minute") or 0)
    offset = _offset_minutes(groups)
    part = groups.get("part") or {"am": "morning", "pm": "afternoon"}.get(groups.get("half") or "")
    if hour <= 12:
        if part or loose_part:
            hour = _hour_in(hour % 12, part or loose_part or "")
        elif not groups["hour"].startswith("0"):
            hour = hour + 12 if 1 <= hour <= (8 if offset < 0 else 7) else hour
    minutes = (hour * 60 + minute + offset) % (24 * 60)
    return time(minutes // 60, minutes % 60)


def _offset_minutes(groups: dict[str, str | None]) -> int:
    if way := groups.get("way"):
        hours = groups["hours_off"] or "1"
        minutes = 60 * int(hours) if hours.isdecimal() else 30
        return -minutes if way == "before" else minutes
    for name, minutes in (("past_30", 30), ("past_15", 15), ("to_15", -15)):
        if name in groups:
            return minutes
    if groups.get("past"):
        return int(groups["past"] or 0)
    return -int(groups.get("to") or 0)


def _hour_in(hour: int, part: str) -> int:
    """``hour`` (0 to 11) in that part of the day; midnight is 0."""
    if part == "morning":
        return hour
    if (part == "night" and hour < 6) or (part == "evening" and hour == 0):
        return hour
    return hour + 12


def speak_time(clock: time) -> str:
    """``at three thirty in the afternoon``."""
    if clock.minute == 0 and clock.hour in (0, 12):
        return "at noon" if clock.hour else "at midnight"
    hour = spelled((clock.hour - 1) % 12 + 1)
    minute = f" {'oh ' if clock.minute < 10 else ''}{spelled(clock.minute)}" if clock.minute else ""
    if clock.hour < 12:
        part = "in the morning"
    elif clock.hour < 18:
        part = "in the afternoon"
    else:
        part = "in the evening" if clock.hour < 22 else "at night"
    return f"at {hour}{minute} {part}"
