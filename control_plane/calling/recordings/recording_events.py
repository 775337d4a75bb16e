"""What the worker's recording events do to a call's recording."""

from __future__ import annotations

from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from contracts.events import CallEvent, RecordingStarted, RecordingStopped
from control_plane.calling.calls.events.event_log import log_event
from control_plane.calling.calls.models import Call
from control_plane.calling.recordings import repository
from control_plane.calling.recordings.models import Recording
from control_plane.calling.recordings.tasks import enqueue_assembly
from control_plane.platform.database import storable


async def apply_recording_event(
    session: AsyncSession,
    call: Call,
    event: CallEvent,
    body: RecordingStarted | RecordingStopped,
) -> None:
    """Note it, in the transaction that applies ``event``; each event comes here once.

    The files are made when the call ends. An event that comes after the end, from the journal of a
    worker that died, has them made (again).
    """
    match body:
        case RecordingStarted(recording_id=recording_id):
            await session.execute(
                insert(Recording)
                .values(
                    id=recording_id,
                    tenant_id=call.tenant_id,
                    call_id=call.id,
                    status="processing",
                    started_at=event.occurred_at,
                )
                .on_conflict_do_nothing()
            )
            log_event(session, call, "runtime", "Recording started", event.occurred_at)
        case RecordingStopped(recording_id=recording_id, duration_ms=duration_ms, detail=detail):
            recording = await repository.locked_recording(session, call.tenant_id, recording_id)
            if recording is None:
                return
            recording.stopped_at = event.occurred_at
            recording.duration_ms = duration_ms
            recording.detail = None if detail is None else storable(detail)
            log_event(
                session,
                call,
                "runtime",
                "Recording stopped" + (f": {recording.detail}" if recording.detail else ""),
                event.occurred_at,
                "warning" if recording.detail else "info",
            )
    if call.is_over:
        await enqueue_assembly(session, call.tenant_id, recording_id)
