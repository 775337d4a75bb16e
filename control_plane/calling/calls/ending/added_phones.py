"""Phones that were added to a call: their minutes are on its bill for as long as they were in it.

A phone of the call's plan has its price in the plan, for the whole call.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import NamedTuple

from sqlalchemy.ext.asyncio import AsyncSession

from contracts.call_plan import PlannedAgent, PriceRow
from contracts.versions import read_object
from control_plane.calling.calls.ending.served_agents import ServedAgent
from control_plane.calling.calls.models import Call, CallParticipant
from control_plane.calling.dialing import repository
from control_plane.calling.dialing.models import DialingJob

END_MS = 1_000
"""Who leaves so shortly before the end has stayed to the end: legs leave before their call is over.
"""


class AddedPhone(NamedTuple):
    """In connected milliseconds of its call."""

    row: PriceRow
    from_ms: int
    until_ms: int | None
    """``None``: to the end."""


def served_with_phones(
    served: Sequence[ServedAgent], phones: Iterable[AddedPhone]
) -> tuple[ServedAgent, ...]:
    """What agents served, with a new entry wherever a phone came or went: the prices of an entry
    are those of its agent and of the phones that were there. Pure."""
    there = [phone for phone in phones if phone.until_ms is None or phone.until_ms > phone.from_ms]
    if not there:
        return tuple(served)
    changes = {each.from_ms for each in served}
    changes |= {phone.from_ms for phone in there}
    changes |= {phone.until_ms for phone in there if phone.until_ms is not None}
    steps = []
    for from_ms in sorted(changes):
        agent = [each.agent for each in served if each.from_ms <= from_ms][-1]
        rows = [
            phone.row
            for phone in there
            if phone.from_ms <= from_ms and (phone.until_ms is None or from_ms < phone.until_ms)
        ]
        steps.append(ServedAgent(_priced(agent, rows), from_ms))
    return tuple(steps)


def _priced(agent: PlannedAgent, rows: Sequence[PriceRow]) -> PlannedAgent:
    return agent.model_copy(update={"prices": (*agent.prices, *rows)}) if rows else agent


async def measure_added_phones(
    session: AsyncSession, call: Call, connected_ms: int
) -> list[AddedPhone]:
    """Note when each added phone was in the call, which ends after ``connected_ms``."""
    phones = []
    for job, participant in await repository.added_phones(session, call):
        from_ms, until_ms = _times(call, participant)
        if until_ms is not None and until_ms >= connected_ms - END_MS:
            until_ms = None
        job.billed_from_ms, job.billed_until_ms = from_ms, until_ms
        if from_ms is not None:
            phones.append(AddedPhone(_row(job), from_ms, until_ms))
    return phones


async def added_phones(session: AsyncSession, call: Call) -> list[AddedPhone]:
    """Those that have been in the call. Of one that is over, as ``measure_added_phones`` noted."""
    found = []
    for job, participant in await repository.added_phones(session, call):
        from_ms, until_ms = (
            (job.billed_from_ms, job.billed_until_ms) if call.is_over else _times(call, participant)
        )
        if from_ms is not None:
            found.append(AddedPhone(_row(job), from_ms, until_ms))
    return found


def _row(job: DialingJob) -> PriceRow:
    assert job.price_row is not None
    return read_object(PriceRow, job.price_row)


def _times(call: Call, participant: CallParticipant) -> tuple[int | None, int | None]:
    """A phone whose sound comes back after a lost connection was at its carrier all the time."""
    joined_at = participant.first_joined_at or participant.joined_at
    if call.started_at is None or joined_at is None:
        return None, None
    from_ms = _ms_between(call.started_at, joined_at)
    if participant.left_at is None:
        return from_ms, None
    return from_ms, max(from_ms, _ms_between(call.started_at, participant.left_at))


def _ms_between(start: datetime, end: datetime) -> int:
    return max(0, round((end - start).total_seconds() * 1000))
