"""Jobs of recordings, and when they are added."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import structlog
from procrastinate import JobContext, RetryStrategy
from sqlalchemy.ext.asyncio import AsyncSession

from contracts.recording import recording_folder
from control_plane.calling.calls.models import Call
from control_plane.calling.recordings import repository
from control_plane.calling.recordings.assembly import (
    Files,
    NothingStored,
    assemble_files,
    remove_parts,
    remove_recording,
)
from control_plane.calling.recordings.models import Recording
from control_plane.calling.recordings.object_store import open_store, store_errors
from control_plane.platform.database import Database
from control_plane.platform.job_queue import (
    RECORDINGS_QUEUE,
    TRIED_FOR_A_DAY,
    database_of,
    enqueue,
    job_queue,
    settings_of,
    when_given_up,
)
from telemetry.tracing import call_span

MOST_ATTEMPTS = 10
"""Of making the files: about half an hour in all."""
PARTS_KEPT = timedelta(days=1)
"""How long parts are kept for a worker that has not reported that the recording stopped."""
PART_ON_ITS_WAY = timedelta(minutes=1)
"""Longer than a worker waits for the store to take a part."""

_log = structlog.get_logger(__name__)


@job_queue.task(
    name="recordings.assemble",
    queue=RECORDINGS_QUEUE,
    pass_context=True,
    retry=RetryStrategy(max_attempts=MOST_ATTEMPTS, exponential_wait=2),
)
async def assemble_recording(context: JobContext, *, tenant_id: str, recording_id: str) -> None:
    """Make the files of a recording whose call is over. Running it again replaces the files."""
    database = database_of(context)
    recording = await _recording(database, tenant_id, recording_id)
    if recording is None:
        return
    with call_span("assemble recording", recording.call_id, {"attempt": context.job.attempts}):
        await _assemble(context, database, recording)


async def _assemble(context: JobContext, database: Database, recording: Recording) -> None:
    url = settings_of(context).object_store_url
    from control_plane.calling.recordings.audio_files import PartUnreadable

    failures: tuple[type[Exception], ...] = (PartUnreadable, ValueError, *store_errors())
    try:
        files = await asyncio.to_thread(
            lambda: assemble_files(open_store(url), recording.folder, recording.duration_ms or 0)
        )
    except NothingStored:
        await _failed(database, recording, "No part of the recording reached the store")
        return
    except failures as error:
        _log.warning("recording_not_assembled", call_id=str(recording.call_id), error=str(error))
        raise
    await _completed(database, recording, files)


@when_given_up(assemble_recording)
async def fail_recording(database: Database, *, tenant_id: str, recording_id: str) -> None:
    """Its files are not made."""
    recording = await _recording(database, tenant_id, recording_id)
    if recording is not None:
        await _failed(database, recording, "Making the files of the recording failed too often")


@job_queue.task(
    name="recordings.remove_parts",
    queue=RECORDINGS_QUEUE,
    pass_context=True,
    retry=TRIED_FOR_A_DAY,
)
async def remove_left_parts(context: JobContext, *, tenant_id: str, recording_id: str) -> None:
    """Remove the parts of a recording that has its files.

    A job of its own: if it fails half-way, what made the files is not run again with the parts that
    are left, and the others silent.
    """
    url = settings_of(context).object_store_url
    recording = await _recording(database_of(context), tenant_id, recording_id)
    if recording is not None and recording.status == "completed":
        await asyncio.to_thread(lambda: remove_parts(open_store(url), recording.folder))


@job_queue.task(
    name="recordings.delete_refused",
    queue=RECORDINGS_QUEUE,
    pass_context=True,
    retry=TRIED_FOR_A_DAY,
)
async def delete_refused(
    context: JobContext, *, tenant_id: str, call_id: str, recording_id: str
) -> None:
    """Delete what is stored of a recording that has no row any more: a caller refused to be
    recorded, or it was deleted while its files were made."""
    url = settings_of(context).object_store_url
    folder = recording_folder(UUID(tenant_id), UUID(call_id), UUID(recording_id))
    await asyncio.to_thread(lambda: remove_recording(open_store(url), folder))


async def _recording(database: Database, tenant_id: str, recording_id: str) -> Recording | None:
    async with database.system_session() as session:
        return await repository.locked_recording(session, UUID(tenant_id), UUID(recording_id))


async def _completed(database: Database, recording: Recording, files: Files) -> None:
    async with database.system_session() as session:
        now = await repository.locked_recording(session, recording.tenant_id, recording.id)
        if now is None:
            # Deleted meanwhile: what was stored goes, too.
            await enqueue_deletion(session, recording.tenant_id, recording.call_id, recording.id)
            return
        now.status = "completed"
        now.completed_at = datetime.now(UTC)
        now.duration_ms = files.duration_ms
        now.wav_bytes, now.ogg_bytes = files.wav_bytes, files.ogg_bytes
        ids: dict[str, Any] = {
            "tenant_id": str(recording.tenant_id),
            "recording_id": str(recording.id),
        }
        if recording.stopped_at is not None:
            # Another job may be about to make the files from them.
            await enqueue(session, remove_left_parts, lock=_lock_of(recording.id), **ids)
        elif now.stopped_at is None:
            await enqueue(session, remove_left_parts, not_within=PARTS_KEPT, **ids)
    _log.info("recording_completed", call_id=str(recording.call_id), duration_ms=files.duration_ms)


async def _failed(database: Database, recording: Recording, why: str) -> None:
    """Mark it as failed, unless it was completed before: then it has its files, and no parts."""
    async with database.system_session() as session:
        now = await repository.locked_recording(session, recording.tenant_id, recording.id)
        if now is None or now.status == "completed":
            return
        now.status = "failed"
        now.detail = "; ".join(filter(None, [now.detail, why]))
    _log.error("recording_failed", call_id=str(recording.call_id), reason=why)


async def enqueue_assembly_at_end(session: AsyncSession, call: Call) -> None:
    """``call`` is over, with its plan loaded: have its recording's files made, if it has one."""
    if not call.plan["agent"].get("features", {}).get("recording_enabled"):
        return
    await session.flush()
    recording = await repository.latest_recording(session, call.tenant_id, call.id)
    if recording is not None:
        await enqueue_assembly(session, call.tenant_id, recording.id)


async def enqueue_deletion(
    session: AsyncSession, tenant_id: UUID, call_id: UUID, recording_id: UUID
) -> None:
    """Add the jobs that delete a recording without a row: now, and when a part that was on its way
    must have arrived."""
    for wait in (timedelta(), PART_ON_ITS_WAY):
        await enqueue(
            session,
            delete_refused,
            not_within=wait,
            tenant_id=str(tenant_id),
            call_id=str(call_id),
            recording_id=str(recording_id),
        )


async def enqueue_assembly(session: AsyncSession, tenant_id: UUID, recording_id: UUID) -> None:
    """Add the job that makes the files; two jobs for one recording never run at the same time."""
    await enqueue(
        session,
        assemble_recording,
        lock=_lock_of(recording_id),
        tenant_id=str(tenant_id),
        recording_id=str(recording_id),
    )


def _lock_of(recording_id: UUID) -> str:
    return f"recording/{recording_id}"
