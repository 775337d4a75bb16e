"""The calls of one group of events: locked together, with what their events need of them.

A fixed number of statements, however many calls there are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from sqlalchemy import ARRAY, CollectionAggregate, Uuid, any_, literal, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import attributes

from contracts.events import (
    CallEnded,
    CallEvent,
    CallMetered,
    CallStarted,
    LegJoined,
    LegLeft,
    RecordingStarted,
    RecordingStopped,
    SlotsCollected,
    TranscriptSegment,
)
from control_plane.calls.gathered_rows import GatheredRows
from control_plane.calls.metering import is_covered
from control_plane.calls.models import Call, CallParticipant

Key = tuple[UUID, UUID]
"""Tenant and call."""


@dataclass
class CallGroup:
    """``calls`` lacks those that the tenant does not have. Plans and people are loaded for the
    calls whose events ask for them."""

    calls: dict[Key, Call]
    people: dict[UUID, CallParticipant]
    """By participant id."""
    with_plan: frozenset[UUID]
    """Calls whose events may need the ledger, by id."""
    rows: GatheredRows = field(default_factory=GatheredRows)

    def in_order(self, keys: Sequence[Key]) -> list[int]:
        """In which order to apply ``keys``: what needs the ledger last, tenant by tenant.

        So accounts are held for as short a time as can be, and never wait in a circle either.
        """
        return sorted(
            range(len(keys)), key=lambda index: (keys[index][1] in self.with_plan, keys[index])
        )


async def lock_group(session: AsyncSession, events: Mapping[Key, Sequence[CallEvent]]) -> CallGroup:
    """Lock the calls in one order, the same in every process, so that groups never wait in a
    circle."""
    found = await session.scalars(
        select(Call)
        .where(Call.id == _any_of([call_id for _, call_id in events]))
        .order_by(Call.tenant_id, Call.id)
        .with_for_update()
    )
    calls = {key: call for call in found if (key := (call.tenant_id, call.id)) in events}
    planned = {c.id: c for key, c in calls.items() if any(_asks_plan(c, e) for e in events[key])}
    if planned:
        plans = await session.execute(
            select(Call.id, Call.plan).where(Call.id == _any_of(list(planned)))
        )
        for call_id, plan in plans:
            attributes.set_committed_value(planned[call_id], "plan", plan)
    return CallGroup(calls, await _people(session, calls, events), frozenset(planned))


async def _people(
    session: AsyncSession, calls: Mapping[Key, Call], events: Mapping[Key, Sequence[CallEvent]]
) -> dict[UUID, CallParticipant]:
    peopled = [
        call.id
        for key, call in calls.items()
        if any(isinstance(event.body, CallStarted | LegJoined | LegLeft) for event in events[key])
    ]
    if not peopled:
        return {}
    found = await session.scalars(
        select(CallParticipant).where(CallParticipant.call_id == _any_of(peopled))
    )
    return {person.id: person for person in found}


def _asks_plan(call: Call, event: CallEvent) -> bool:
    match event.body:
        case CallEnded() | RecordingStarted() | RecordingStopped():
            return True
        case CallMetered(connected_ms=connected_ms):
            return not is_covered(call, connected_ms)
        case TranscriptSegment() | SlotsCollected():
            return call.is_over
        case _:
            return False


def _any_of(ids: list[UUID]) -> CollectionAggregate[bool]:
    """One parameter, so that the statement is the same for every number of calls."""
    return any_(literal(ids, ARRAY(Uuid)))
