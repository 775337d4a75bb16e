"""The time zones in which the owner of a phone number may be."""

from __future__ import annotations

import asyncio
from zoneinfo import ZoneInfo

from control_plane.calling.dialing.schedule import Schedule

_UNKNOWN = "Etc/Unknown"


async def callee_zones(schedule: Schedule, number: str) -> tuple[ZoneInfo, ...]:
    """The zones in which ``schedule.window`` applies: the one that the schedule names, or else
    those that the numbering plans give for ``number`` (E.164). Empty if they know none.

    A mobile number tells only where it was issued, not where its owner is.
    """
    if schedule.timezone is not None:
        return (ZoneInfo(schedule.timezone),)
    return await asyncio.to_thread(zones_of_number, number)


def zones_of_number(number: str) -> tuple[ZoneInfo, ...]:
    """The first call reads tables from disk, so do not make it on the event loop."""
    import phonenumbers
    from phonenumbers import timezone

    names = timezone.time_zones_for_number(phonenumbers.parse(number))
    return tuple(ZoneInfo(name) for name in names if name != _UNKNOWN)
