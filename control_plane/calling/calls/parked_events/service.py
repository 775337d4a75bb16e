"""Settling parked events: the operator has them applied after all, or discards them.

The cursor of an event's call passed the event when it was parked. So it is applied out of its turn,
and only if nothing that came later is undone by it.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

from pydantic import ValidationError
from sqlalchemy.ext.asyncio import AsyncSession

from contracts.events import (
    CallEvent,
    EventEnvelope,
    LegJoined,
    LegLeft,
    SlotsCollected,
    UsageReported,
)
from contracts.versions import fault, read_json
from control_plane.calling.calls.events.call_group import CallGroup, lock_group
from control_plane.calling.calls.events.group_transaction import EVENT_FAULTS
from control_plane.calling.calls.events.worker_events import Answer, apply_late
from control_plane.calling.calls.models import Call, ParkedEvent
from control_plane.calling.calls.parked_events import repository
from control_plane.calling.calls.parked_events.errors import (
    ParkedEventNotApplicable,
    ParkedEventNotFound,
    ParkedEventResolved,
)
from control_plane.platform.database import storable

CONNECTED_TIME = "connected-time:"
"""Begins the ``stream_entry_id`` of the end of a call whose reported time was not believed."""

Resolution = Literal["applied", "discarded"]


@dataclass(frozen=True)
class Settled:
    """``is_new`` is false if it was settled in the same way before. ``answer`` is for the worker
    that reported the event, after the commit."""

    parked: ParkedEvent
    is_new: bool
    answer: Answer | None = None


def envelope_of(parked: ParkedEvent) -> EventEnvelope | None:
    """Which call it is about; ``None`` if that cannot be read."""
    try:
        return EventEnvelope.model_validate_json(parked.document)
    except ValidationError:
        return None


async def retry(session: AsyncSession, parked_event_id: int) -> Settled:
    """Apply a parked event.

    Raises:
        ParkedEventNotFound, ParkedEventResolved: see there.
        ParkedEventNotApplicable: the reason is in its text; nothing has changed.
    """
    parked = await _to_resolve(session, parked_event_id, "applied")
    if parked.resolved_at is not None:
        return Settled(parked, is_new=False)
    event = _readable(parked)
    try:
        async with session.begin_nested():
            answer = await _apply(session, event)
    except EVENT_FAULTS as error:
        raise ParkedEventNotApplicable(
            f"Applying it fails as before ({type(error).__name__}). It needs another release, or "
            "can be discarded."
        ) from error
    _resolve(parked, "applied")
    return Settled(parked, is_new=True, answer=answer)


async def discard(
    session: AsyncSession, parked_event_id: int, reason: str, discarded_by: str
) -> Settled:
    """Settle a parked event without applying it. It is kept.

    Raises:
        ParkedEventNotFound, ParkedEventResolved: see there.
    """
    parked = await _to_resolve(session, parked_event_id, "discarded")
    is_new = parked.resolved_at is None
    if is_new:
        _resolve(parked, "discarded", reason, discarded_by)
    return Settled(parked, is_new)


async def _to_resolve(
    session: AsyncSession, parked_event_id: int, resolution: Resolution
) -> ParkedEvent:
    """The event, locked; it may be resolved in the wanted way already."""
    parked = await repository.locked(session, parked_event_id)
    if parked is None:
        raise ParkedEventNotFound
    if parked.resolved_at is not None and parked.resolution != resolution:
        raise ParkedEventResolved(f"It was {parked.resolution} at {parked.resolved_at:%F %T} UTC.")
    return parked


def _resolve(
    parked: ParkedEvent, resolution: Resolution, reason: str | None = None, by: str | None = None
) -> None:
    parked.resolution = resolution
    parked.resolution_reason = None if reason is None else storable(reason)
    parked.resolved_by = None if by is None else storable(by)
    parked.resolved_at = datetime.now(UTC)


def _readable(parked: ParkedEvent) -> CallEvent:
    if parked.stream_entry_id.startswith(CONNECTED_TIME):
        raise ParkedEventNotApplicable(
            "The call is over and billed for as much as was believed. If it must pay more, post a "
            "debit; then discard this report."
        )
    try:
        return read_json(CallEvent, parked.document)
    except ValidationError as error:
        raise ParkedEventNotApplicable(
            f"This release cannot read it: {fault(error)}. Another release may, or discard it."
        ) from error


async def _apply(session: AsyncSession, event: CallEvent) -> Answer | None:
    key = (event.tenant_id, event.call_id)
    group = await lock_group(session, {key: [event]})
    call = group.calls.get(key)
    if call is None:
        raise ParkedEventNotApplicable("There is no such call of this tenant; discard it.")
    if event.seq > call.applied_seq + 1:
        raise ParkedEventNotApplicable(
            f"It is number {event.seq} of its call, and only the first {call.applied_seq} were "
            "applied or passed over."
        )
    if _is_outdated(group, call, event):
        raise ParkedEventNotApplicable(
            "A later event of the call has replaced what this one says; discard it."
        )
    if group.with_ledger:
        await group.lock_ledger(session)
    answer = await apply_late(session, group, call, event)
    await group.store(session)
    return answer


def _is_outdated(group: CallGroup, call: Call, event: CallEvent) -> bool:
    match event.body:
        case UsageReported(channel=channel, provider=provider, model=model):
            return f"{channel}/{provider}/{model}" in call.usage
        case SlotsCollected():
            return bool(call.collected_slots)
        case LegJoined(participant_id=participant_id) | LegLeft(participant_id=participant_id):
            participant = group.participants.get(call.id, {}).get(participant_id)
            if participant is None:
                return False
            changes = (participant.joined_at, participant.left_at)
            return any(at is not None and at > event.occurred_at for at in changes)
        case _:
            return False
