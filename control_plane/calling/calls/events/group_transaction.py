"""Applies the events of several calls in one transaction, whatever the events contain.

The calls of a group share the cost of a transaction. An event that cannot be applied is parked for
the operator and skipped, so that it never holds up later events or the other calls of its group.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import structlog
from sqlalchemy.exc import DataError, IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from contracts.versions import call_id_in
from control_plane.calling.calls import repository
from control_plane.calling.calls.events import repository as event_rows
from control_plane.calling.calls.events.call_group import CallGroup, Key, lock_group
from control_plane.calling.calls.events.envelope import ReceivedEvent, Verdict, verdict
from control_plane.calling.calls.events.worker_events import Answer, apply_events
from control_plane.calling.calls.models import Call
from control_plane.platform.data_faults import DATA_FAULTS
from control_plane.platform.database import Database
from link.stream_entry import StreamEntry

Batch = Sequence[ReceivedEvent]
"""Events of one call, at least one."""

EVENT_FAULTS = (DataError, IntegrityError, *DATA_FAULTS)
"""Errors that an event can cause. Any other error, such as a missing table, is a fault of the
installation; events wait until it is repaired."""

_log = structlog.get_logger(__name__)


@dataclass
class Applied:
    """The result of a batch. The entries in ``finished`` may leave the stream.

    ``seq`` is the call's cursor; ``None`` if it must not be published.
    """

    seq: int | None
    is_over: bool = False
    finished: list[StreamEntry] = field(default_factory=list)
    answer: Answer | None = None


async def apply_group(database: Database, batches: Sequence[Batch]) -> list[Applied]:
    """Apply the events of different calls, each exactly once and in order in its call.

    If an event causes an error, the group is halved until its call is alone, and then its events
    are applied one by one.

    Returns:
        One result for each batch, in the same order.

    Raises:
        DatabaseUnavailable: nothing or only a part was applied; try the whole group again.
    """
    if all(received.event is not None for batch in batches for received in batch):
        try:
            return await _apply_together(database, batches)
        except EVENT_FAULTS as error:
            _log.warning(
                "event_group_failed",
                call_ids=[str(batch[0].envelope.call_id) for batch in batches],
                error=type(error).__name__,
            )
    if len(batches) == 1:
        return [await _apply_singly(database, batches[0])]
    middle = len(batches) // 2
    return [
        *await apply_group(database, batches[:middle]),
        *await apply_group(database, batches[middle:]),
    ]


async def park(database: Database, entry: StreamEntry, reason: str) -> None:
    """Keep an entry that cannot be applied, for the operator to look at.

    Raises:
        DatabaseUnavailable: try again.
    """
    async with database.system_session() as session:
        await _park(session, entry, reason)


async def _apply_together(database: Database, batches: Sequence[Batch]) -> list[Applied]:
    by_call = {batch[0].envelope.key: batch for batch in batches}
    applied: dict[Key, Applied] = {}
    async with database.system_session() as session:
        group = await lock_group(
            session,
            {key: [each.event for each in batch if each.event] for key, batch in by_call.items()},
        )
        for key, call in group.calls.items():
            if key not in group.with_ledger:
                applied[key] = await _apply_batch(session, group, call, by_call[key])
        await group.store(session)
        if group.with_ledger:
            # Last, because the tenant's new calls wait for its account meanwhile.
            await group.lock_ledger(session)
            for key in sorted(group.with_ledger):
                call = group.calls[key]
                applied[key] = await _apply_batch(session, group, call, by_call[key])
            await group.store(session)
        for key in by_call.keys() - group.calls.keys():
            applied[key] = await _park_orphans(session, by_call[key])
    return [applied[key] for key in by_call]


async def _apply_batch(
    session: AsyncSession, group: CallGroup, call: Call, batch: Batch
) -> Applied:
    outcome = await apply_events(
        session, group, call, [received.event for received in batch if received.event is not None]
    )
    waiting = {event.seq for event in outcome.waiting}
    return Applied(
        seq=call.applied_seq,
        is_over=call.is_over,
        finished=[r.entry for r in batch if r.envelope.seq not in waiting],
        answer=outcome.answer,
    )


async def _apply_singly(database: Database, batch: Batch) -> Applied:
    """One transaction for each event, to find the one that causes the error."""
    total = Applied(seq=None)
    for received in sorted(batch, key=lambda received: received.envelope.seq):
        try:
            if received.event is None:
                applied = await _skip(database, received, received.fault or "unreadable")
            else:
                [applied] = await _apply_together(database, [[received]])
        except EVENT_FAULTS as error:
            _log.exception(
                "event_not_applicable",
                call_id=str(received.envelope.call_id),
                seq=received.envelope.seq,
            )
            applied = await _skip(database, received, f"not applicable: {error}")
        total = Applied(
            seq=applied.seq,
            is_over=applied.is_over,
            finished=total.finished + applied.finished,
            answer=applied.answer or total.answer,
        )
    return total


async def _skip(database: Database, received: ReceivedEvent, reason: str) -> Applied:
    """Park the event if it is its turn, and move the call's cursor past it."""
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


async def _park_orphans(session: AsyncSession, batch: Batch) -> Applied:
    """Park events whose call does not exist or belongs to another tenant.

    If the call does not exist, its worker is told that the events are applied; otherwise it would
    send them for ever.
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
    # Another stream may have an entry with the same id.
    stream_entry_id = f"{entry.stream}/{entry.entry_id}"
    call_id = call_id_in(entry.document)
    _log.error(
        "event_parked",
        call_id=None if call_id is None else str(call_id),
        stream_entry_id=stream_entry_id,
        reason=reason,
    )
    await event_rows.add_parked_event(session, stream_entry_id, reason, entry.document)
