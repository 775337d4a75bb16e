"""Applying one call's batch of events in PostgreSQL, whatever is in it.

An event that cannot be applied is parked for the operator and passed over, so that it never stands
in the way of what comes after it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import structlog
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.exc import DataError, IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.calls import repository
from control_plane.calls.apply_events import WorkerToStop, apply_events
from control_plane.calls.event_envelope import ReceivedEvent
from control_plane.calls.event_order import Verdict, verdict
from control_plane.calls.models import ParkedEvent
from control_plane.calls.storable_text import storable
from control_plane.database import Database
from control_plane.link.event_stream import StreamEntry

EVENT_FAULTS = (
    DataError,
    IntegrityError,
    ValueError,
    LookupError,
    TypeError,
    AttributeError,
    ArithmeticError,
    AssertionError,
)
"""What an event can be at fault for. Anything else, such as a missing table, is the installation's
fault: events wait for it to be put right."""

_log = structlog.get_logger(__name__)


@dataclass
class Applied:
    """What a batch came to. ``finished`` entries may leave the stream.

    ``seq`` is the call's cursor, ``None`` where it must not be published.
    """

    seq: int | None
    is_over: bool = False
    finished: list[StreamEntry] = field(default_factory=list)
    stop: WorkerToStop | None = None


async def apply_batch(database: Database, batch: Sequence[ReceivedEvent]) -> Applied:
    """Apply one call's events, in order, each exactly once.

    Raises:
        DatabaseUnavailable: nothing of it or a first part is applied; try the batch again.
    """
    if all(received.event is not None for received in batch):
        try:
            return await _apply_together(database, batch)
        except EVENT_FAULTS as error:
            _log.warning(
                "event_batch_failed",
                call_id=str(batch[0].envelope.call_id),
                error=type(error).__name__,
            )
    return await _apply_singly(database, batch)


async def park(database: Database, entry: StreamEntry, reason: str) -> None:
    """Keep a stream entry that cannot be applied for the operator.

    Raises:
        DatabaseUnavailable: try again.
    """
    async with database.system_session() as session:
        await _park(session, entry, reason)


async def _apply_together(database: Database, batch: Sequence[ReceivedEvent]) -> Applied:
    envelope = batch[0].envelope
    async with database.system_session() as session:
        call = await repository.locked_call(session, envelope.tenant_id, envelope.call_id)
        if call is None:
            return await _park_orphans(session, batch)
        outcome = await apply_events(
            session, call, [received.event for received in batch if received.event is not None]
        )
        waiting = {event.seq for event in outcome.waiting}
        return Applied(
            seq=call.applied_seq,
            is_over=call.is_over,
            finished=[r.entry for r in batch if r.envelope.seq not in waiting],
            stop=outcome.stop,
        )


async def _apply_singly(database: Database, batch: Sequence[ReceivedEvent]) -> Applied:
    """One transaction per event, to find the one that is at fault."""
    total = Applied(seq=None)
    for received in sorted(batch, key=lambda received: received.envelope.seq):
        try:
            if received.event is None:
                applied = await _pass_over(database, received, received.fault or "unreadable")
            else:
                applied = await _apply_together(database, [received])
        except EVENT_FAULTS as error:
            _log.exception(
                "event_not_applicable",
                call_id=str(received.envelope.call_id),
                seq=received.envelope.seq,
            )
            applied = await _pass_over(database, received, f"not applicable: {error}")
        total = Applied(
            seq=applied.seq,
            is_over=applied.is_over,
            finished=total.finished + applied.finished,
            stop=applied.stop or total.stop,
        )
    return total


async def _pass_over(database: Database, received: ReceivedEvent, reason: str) -> Applied:
    """Park an event when its turn comes, and move the call's cursor past it."""
    envelope = received.envelope
    async with database.system_session() as session:
        call = await repository.locked_call(session, envelope.tenant_id, envelope.call_id)
        if call is None:
            return await _park_orphans(session, [received])
        turn = verdict(call.applied_seq, envelope.seq)
        if turn is Verdict.APPLY:
            await _park(session, received.entry, reason)
            call.applied_seq = envelope.seq
        return Applied(
            seq=call.applied_seq,
            is_over=call.is_over,
            finished=[] if turn is Verdict.GAP else [received.entry],
        )


async def _park_orphans(session: AsyncSession, batch: Sequence[ReceivedEvent]) -> Applied:
    """Events of a call that does not exist, or that belongs to another tenant.

    Where it does not exist at all its worker is told that they are applied, or it would ship them
    for ever.
    """
    for received in batch:
        await _park(session, received.entry, "no such call of this tenant")
    exists = await repository.call_exists(session, batch[0].envelope.call_id)
    return Applied(
        seq=None if exists else max(received.envelope.seq for received in batch),
        is_over=not exists,
        finished=[received.entry for received in batch],
    )


async def _park(session: AsyncSession, entry: StreamEntry, reason: str) -> None:
    _log.error("event_parked", stream_entry_id=entry.entry_id, reason=reason)
    await session.execute(
        insert(ParkedEvent)
        .values(
            stream_entry_id=entry.entry_id,
            reason=storable(reason),
            document=storable(entry.document),
        )
        .on_conflict_do_nothing()
    )
