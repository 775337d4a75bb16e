"""In which time zones the owner of a phone number may be."""

from __future__ import annotations

import asyncio
from zoneinfo import ZoneInfo

from control_plane.calling.dialing.schedule import Schedule

_UNKNOWN = "Etc/Unknown"


async def callee_zones(schedule: Schedule, number: str) -> tuple[ZoneInfo, ...]:
    """The zones whose clocks ``schedule.window`` is read on: the one that it names, or those of
    ``number`` (E.164) by the numbering plans. Empty when nothing is known of the number.

    A mobile number can be carried anywhere; what it tells is where it was given out.
    """
    if schedule.timezone is not None:
        return (ZoneInfo(schedule.timezone),)
    return await asyncio.to_thread(zones_of_number, number)


def zones_of_number(number: str) -> tuple[ZoneInfo, ...]:
    """Reads the tables of numbering plans: not for the event loop the first time."""
    import phonenumbers
    from phonenumbers import timezone

    names = timezone.time_zones_for_number(phonenumbers.parse(number))
    return tuple(ZoneInfo(name) for name in names if name != _UNKNOWN)
