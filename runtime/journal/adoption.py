"""Ending the calls of a worker process that died, from the journals that it left on disk."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

import structlog
from pydantic import ValidationError
from redis.asyncio import Redis

from contracts import redis_names
from contracts.end_reasons import EndReason
from contracts.events import (
    CallEnded,
    CallEvent,
    CallMetered,
    CallStarted,
    RecordingStarted,
    RecordingStopped,
)
from contracts.heartbeat import CallMedia
from contracts.versions import read_json
from link.connection import LINK_ERRORS
from runtime.journal.event_shipper import EventShipper
from runtime.journal.store import JournalStore

logger = structlog.get_logger(__name__)


async def adopt(journals: JournalStore, shipper: EventShipper, redis: Redis) -> None:
    """End every call found in ``journals`` with ``worker_error``, and ship its events.

    A call is billed up to the position in its journal or in the last heartbeat, whichever is later.
    A journal without events belongs to a call whose room never opened. Its dispatch entry is still
    pending and will be claimed again, so the journal is deleted.
    """
    async for journal, events in journals.left_behind():
        call_id = journal.plan.call_id
        if journal.last_seq == 0:
            await journal.delete()
            continue
        if not journal.has_ended:
            position_ms = journaled_position_ms(events)
            heartbeat_ms = await _heartbeat_position_ms(redis, call_id)
            known = [each for each in (position_ms, heartbeat_ms) if each is not None]
            if (recording := unstopped_recording(events)) is not None:
                journal.append(
                    RecordingStopped(
                        recording_id=recording,
                        duration_ms=max(known, default=0),
                        detail="The media worker died: its last seconds are not recorded",
                    )
                )
            journal.append(
                CallEnded(
                    end_reason=EndReason.WORKER_ERROR,
                    connected_ms=max(known, default=None),
                    detail="the media worker died",
                )
            )
        logger.warning("journal.adopted", call_id=str(call_id), events=journal.last_seq)
        shipper.add(journal)


def journaled_position_ms(events: Sequence[CallEvent]) -> int | None:
    """The connected time that ``events`` prove; ``None`` if no leg ever connected."""
    position_ms: int | None = None
    for event in events:
        match event.body:
            case CallStarted():
                position_ms = 0
            case CallMetered(connected_ms=connected_ms):
                position_ms = connected_ms
    return position_ms


def unstopped_recording(events: Sequence[CallEvent]) -> UUID | None:
    """The recording that was running when ``events`` broke off."""
    running: UUID | None = None
    for event in events:
        match event.body:
            case RecordingStarted(recording_id=recording_id):
                running = recording_id
            case RecordingStopped():
                running = None
    return running


async def _heartbeat_position_ms(redis: Redis, call_id: UUID) -> int | None:
    try:
        document = await redis.hget(redis_names.MEDIA, str(call_id))
        return read_json(CallMedia, document).connected_ms if document else None
    except (*LINK_ERRORS, ValidationError) as error:
        logger.warning("adoption.no_heartbeat", call_id=str(call_id), error=str(error))
        return None
