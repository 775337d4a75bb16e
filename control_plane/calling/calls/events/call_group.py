"""The calls of one group of events: locked together, with what their events need of them.

A fixed number of statements, however many calls there are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from sqlalchemy import ARRAY, CollectionAggregate, Uuid, any_, literal, select, text
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
from control_plane.calling.calls.events.metering import is_covered
from control_plane.calling.calls.events.pending_rows import GatheredRows
from control_plane.calling.calls.models import Call, CallParticipant
from control_plane.money.billing.repository import lock_ahead

Key = tuple[UUID, UUID]
"""Tenant and call."""


@dataclass
class CallGroup:
    """``calls`` lacks those that the tenant does not have. Plans and people are loaded for the
    calls whose events ask for them."""

    calls: dict[Key, Call]
    people: dict[UUID, dict[UUID, CallParticipant]]
    """By call and participant."""
    with_ledger: frozenset[Key]
    """Calls whose events move money."""
    rows: GatheredRows = field(default_factory=GatheredRows)

    async def store(self, session: AsyncSession) -> None:
        """Send what has changed so far, in few statements: the cursors of all calls in one."""
        await session.execute(
            _MOVE_CURSORS,
            {
                "ids": [call.id for call in self.calls.values()],
                "applied": [call.applied_seq for call in self.calls.values()],
                "metered": [call.metered_ms for call in self.calls.values()],
            },
        )
        for call in self.calls.values():
            attributes.set_committed_value(call, "applied_seq", call.applied_seq)
            attributes.set_committed_value(call, "metered_ms", call.metered_ms)
        await self.rows.insert(session)
        await session.flush()

    async def lock_ledger(self, session: AsyncSession) -> None:
        await lock_ahead(
            session,
            {tenant_id for tenant_id, _ in self.with_ledger},
            {call_id for _, call_id in self.with_ledger},
        )


_MOVE_CURSORS = text(
    "UPDATE calls SET applied_seq = moved.applied, metered_ms = moved.metered"
    " FROM unnest(CAST(:ids AS uuid[]), CAST(:applied AS bigint[]), CAST(:metered AS bigint[]))"
    " AS moved (id, applied, metered) WHERE calls.id = moved.id"
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
    with_ledger = frozenset(
        key for key, call in calls.items() if any(_moves_money(call, e) for e in events[key])
    )
    planned = {
        call.id: call
        for key, call in calls.items()
        if key in with_ledger or any(_asks_plan(call, event) for event in events[key])
    }
    if planned:
        plans = await session.execute(
            select(Call.id, Call.plan).where(Call.id == _any_of(list(planned)))
        )
        for call_id, plan in plans:
            attributes.set_committed_value(planned[call_id], "plan", plan)
    return CallGroup(calls, await _people(session, calls, events), with_ledger)


async def _people(
    session: AsyncSession, calls: Mapping[Key, Call], events: Mapping[Key, Sequence[CallEvent]]
) -> dict[UUID, dict[UUID, CallParticipant]]:
    peopled = [
        call.id
        for key, call in calls.items()
        if any(isinstance(event.body, _ABOUT_PEOPLE) for event in events[key])
    ]
    if not peopled:
        return {}
    people: dict[UUID, dict[UUID, CallParticipant]] = {call_id: {} for call_id in peopled}
    found = await session.scalars(
        select(CallParticipant).where(CallParticipant.call_id == _any_of(peopled))
    )
    for person in found:
        people[person.call_id][person.id] = person
    return people


_ABOUT_PEOPLE = CallStarted | LegJoined | LegLeft | CallEnded


def _moves_money(call: Call, event: CallEvent) -> bool:
    match event.body:
        case CallEnded():
            return not call.is_over
        case CallMetered(connected_ms=connected_ms):
            return not call.is_over and not is_covered(call, connected_ms)
        case _:
            return False


def _asks_plan(call: Call, event: CallEvent) -> bool:
    match event.body:
        case RecordingStarted() | RecordingStopped():
            return True
        case TranscriptSegment() | SlotsCollected():
            return call.is_over
        case _:
            return False


def _any_of(ids: list[UUID]) -> CollectionAggregate[bool]:
    """One parameter, so that the statement is the same for every number of calls."""
    return any_(literal(ids, ARRAY(Uuid)))
