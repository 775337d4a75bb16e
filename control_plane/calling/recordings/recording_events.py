"""What the worker's recording events do to the recording of a call."""

from __future__ import annotations

from sqlalchemy.ext.asyncio import AsyncSession

from contracts.events import CallEvent, RecordingStarted, RecordingStopped
from control_plane.calling.calls.events.event_log import log_event
from control_plane.calling.calls.models import Call
from control_plane.calling.recordings import repository
from control_plane.calling.recordings.tasks import enqueue_assembly, enqueue_deletion
from control_plane.platform.database import storable


async def apply_recording_event(
    session: AsyncSession,
    call: Call,
    event: CallEvent,
    body: RecordingStarted | RecordingStopped,
) -> None:
    """Apply ``event`` in the caller's transaction; each event is applied once.

    The files are made when the call ends. If the event arrives after the end, from the journal of a
    worker that died, they are made now, perhaps for the second time.
    """
    match body:
        case RecordingStarted(recording_id=recording_id):
            await repository.add_recording(
                session, call.tenant_id, call.id, recording_id, event.occurred_at
            )
            log_event(session, call, "runtime", "Recording started", event.occurred_at)
        case RecordingStopped(recording_id=recording_id, refused=True):
            # A call that may not be recorded has no recording.
            await repository.delete_recording(session, call.tenant_id, recording_id)
            await enqueue_deletion(session, call.tenant_id, call.id, recording_id)
            log_event(
                session,
                call,
                "runtime",
                "Recording stopped and deleted: a caller did not agree to be recorded",
                event.occurred_at,
            )
            return
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
