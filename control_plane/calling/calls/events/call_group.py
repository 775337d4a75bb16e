"""The calls of one group of events: locked together, with everything that their events need.

The number of statements does not depend on the number of calls.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

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
    UsageReported,
)
from control_plane.calling.calls.events import repository
from control_plane.calling.calls.events.metering import is_covered
from control_plane.calling.calls.events.pending_rows import PendingRows
from control_plane.calling.calls.models import Call, CallParticipant
from control_plane.calling.dialing.repository import added_rates_micros_per_minute
from control_plane.money.billing.repository import lock_ahead

Key = tuple[UUID, UUID]
"""Tenant and call."""


@dataclass
class CallGroup:
    """Plans and participants are loaded for the calls whose events need them."""

    calls: dict[Key, Call]
    """Only those that exist and belong to the tenant."""
    participants: dict[UUID, dict[UUID, CallParticipant]]
    """By call and participant."""
    with_ledger: frozenset[Key]
    """Calls whose events move money."""
    added_rates: dict[UUID, int] = field(default_factory=dict)
    """By call whose events move money: what its added phones cost, in micro-dollars a minute."""
    rows: PendingRows = field(default_factory=PendingRows)

    async def store(self, session: AsyncSession) -> None:
        """Write what has changed so far."""
        await repository.move_cursors(session, self.calls.values())
        await self.rows.insert(session)
        await session.flush()

    async def lock_ledger(self, session: AsyncSession) -> None:
        await lock_ahead(
            session,
            {self.calls[key].payer_id for key in self.with_ledger},
            {call_id for _, call_id in self.with_ledger},
        )


async def lock_group(session: AsyncSession, events: Mapping[Key, Sequence[CallEvent]]) -> CallGroup:
    """Lock the calls of ``events`` and load what the events need."""
    found = await repository.locked_calls(session, [call_id for _, call_id in events])
    calls = {key: call for call in found if (key := (call.tenant_id, call.id)) in events}
    with_ledger = frozenset(
        key for key, call in calls.items() if any(_moves_money(call, e) for e in events[key])
    )
    planned = {
        call.id: call
        for key, call in calls.items()
        if key in with_ledger or any(_needs_plan(call, event) for event in events[key])
    }
    if planned:
        await repository.load_plans(session, planned)
    paid = {call_id for _, call_id in with_ledger}
    rates = await added_rates_micros_per_minute(session, paid) if paid else {}
    return CallGroup(calls, await _participants(session, calls, events), with_ledger, rates)


async def _participants(
    session: AsyncSession, calls: Mapping[Key, Call], events: Mapping[Key, Sequence[CallEvent]]
) -> dict[UUID, dict[UUID, CallParticipant]]:
    call_ids = [
        call.id
        for key, call in calls.items()
        if any(isinstance(event.body, _ABOUT_PARTICIPANTS) for event in events[key])
    ]
    if not call_ids:
        return {}
    participants: dict[UUID, dict[UUID, CallParticipant]] = {call_id: {} for call_id in call_ids}
    for participant in await repository.participants_of(session, call_ids):
        participants[participant.call_id][participant.id] = participant
    return participants


_ABOUT_PARTICIPANTS = CallStarted | LegJoined | LegLeft | CallEnded


def _moves_money(call: Call, event: CallEvent) -> bool:
    match event.body:
        case CallEnded():
            return not call.is_over
        case CallStarted():
            return not call.is_over and not is_covered(call, 0)
        case CallMetered(connected_ms=connected_ms):
            return not call.is_over and not is_covered(call, connected_ms)
        case _:
            return False


def _needs_plan(call: Call, event: CallEvent) -> bool:
    match event.body:
        case RecordingStarted() | RecordingStopped():
            return True
        case TranscriptSegment() | SlotsCollected() | UsageReported():
            return call.is_over
        case CallMetered(agent_id=agent_id):
            return agent_id is not None and not call.is_over
        case _:
            return False
