"""When a phone may be dialed, in its owner's local time. Pure.

A window follows the callee's clock: 09:00 to 18:00 means just that on a day on which the clocks
change, too. If a number can be in several zones, the window has to be open in all of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import Annotated, Literal
from zoneinfo import ZoneInfo

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    model_validator,
)

from contracts.json_types import Timestamp

HORIZON_DAYS = 15
"""Two weeks, because a weekly window that lies in the hour skipped by a clock change opens a week
later."""

Weekday = Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
WEEKDAYS: tuple[Weekday, ...] = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
ClockTime = Annotated[str, StringConstraints(pattern=r"^([01][0-9]|2[0-3]):[0-5][0-9]$|^24:00$")]


def _known_zone(name: str) -> str:
    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        raise ValueError("is not a time zone such as 'Europe/Berlin'") from None
    return name


TimeZoneName = Annotated[str, StringConstraints(max_length=64), AfterValidator(_known_zone)]


class DailyWindow(BaseModel):
    """``start`` is inside the window, ``end`` is not; both on the same day."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    start: ClockTime
    end: ClockTime
    days: Annotated[tuple[Weekday, ...], Field(min_length=1, max_length=7)] = WEEKDAYS

    @model_validator(mode="after")
    def _in_order(self) -> DailyWindow:
        if self.start >= self.end:
            raise ValueError("start must be before end; a window cannot pass midnight")
        return self

    def is_open_at(self, local: datetime) -> bool:
        """Whether the window is open at the local time ``local``."""
        shown = f"{local:%H:%M}"
        return self.start <= shown < self.end and WEEKDAYS[local.weekday()] in self.days


class Schedule(BaseModel):
    """When to dial. An empty schedule means now."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        json_schema_extra={
            "example": {
                "not_before": "2026-03-02T08:00:00Z",
                "not_after": "2026-03-06T18:00:00Z",
                "window": {
                    "start": "09:00",
                    "end": "18:00",
                    "days": ["mon", "tue", "wed", "thu", "fri"],
                },
            }
        },
    )
    not_before: Timestamp | None = None
    not_after: Timestamp | None = Field(
        None, description="Nothing is dialed after this, nor later than a week after the request."
    )
    window: DailyWindow | None = Field(None, description="Hours in the callee's local time.")
    timezone: TimeZoneName | None = Field(
        None,
        description="The callee's time zone. By default the number decides; if it can be in "
        "several zones, the window must be open in all of them.",
    )


def next_opening(
    schedule: Schedule, zones: Sequence[ZoneInfo], earliest: datetime
) -> datetime | None:
    """The first moment from ``earliest`` on at which ``schedule`` allows dialing, in UTC.

    ``None`` if there is none before ``not_after``, or if the window is not open in all ``zones`` at
    once within two weeks.
    """
    start = max(earliest, schedule.not_before or earliest).astimezone(UTC)
    opening = start if schedule.window is None else _next_open(schedule.window, zones, start)
    if opening is None or (schedule.not_after is not None and opening > schedule.not_after):
        return None
    return opening


class Openings:
    """The next openings from one moment on. Each is computed once for all numbers in the same
    zones, because looking through dozens of zones takes up to 30 ms."""

    def __init__(self, earliest: datetime) -> None:
        self.earliest = earliest
        self._known: dict[tuple[Schedule, tuple[ZoneInfo, ...]], datetime | None] = {}

    def next(self, schedule: Schedule, zones: tuple[ZoneInfo, ...]) -> datetime | None:
        """As ``next_opening``."""
        key = (schedule, zones)
        if key not in self._known:
            self._known[key] = next_opening(schedule, zones, self.earliest)
        return self._known[key]


def _next_open(window: DailyWindow, zones: Sequence[ZoneInfo], start: datetime) -> datetime | None:
    def is_open(moment: datetime) -> bool:
        return all(window.is_open_at(moment.astimezone(zone)) for zone in zones)

    if is_open(start):
        return start
    candidates = {moment for zone in zones for moment in _possible_openings(window, zone, start)}
    return next((moment for moment in sorted(candidates) if is_open(moment)), None)


def _possible_openings(window: DailyWindow, zone: ZoneInfo, after: datetime) -> Iterator[datetime]:
    """Moments after ``after`` at which the window can open: when the clock reaches its start,
    and when the clocks change."""
    first_day = after.astimezone(zone).date()
    opens_at = time.fromisoformat(window.start)
    for days in range(HORIZON_DAYS):
        day = first_day + timedelta(days=days)
        # An hour that occurs twice begins twice.
        moments = [datetime.combine(day, opens_at, zone).replace(fold=fold) for fold in (0, 1)]
        for moment in (*moments, *_clock_changes(zone, day)):
            if moment > after:
                yield moment.astimezone(UTC)


def _clock_changes(zone: ZoneInfo, day: date) -> Iterator[datetime]:
    """The moment of ``day`` (in UTC) at which the zone's offset changes."""
    before = datetime.combine(day, time(), UTC)
    after = before + timedelta(days=1)

    def offset(moment: datetime) -> timedelta | None:
        return moment.astimezone(zone).utcoffset()

    if offset(before) == offset(after):
        return
    while after - before > timedelta(seconds=1):
        middle = before + (after - before) / 2
        if offset(middle) == offset(before):
            before = middle
        else:
            after = middle
    yield after.replace(microsecond=0)
