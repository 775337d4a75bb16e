"""When a recording's files are made."""

from __future__ import annotations

from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.calling.calls.models import Call
from control_plane.calling.recordings import repository, tasks
from control_plane.platform.job_queue import enqueue


async def finish_recording_of(session: AsyncSession, call: Call) -> None:
    """``call`` is over, its plan loaded: have the files of its recording made, if it has one."""
    if not call.plan["agent"].get("features", {}).get("recording_enabled"):
        return
    await session.flush()
    recording = await repository.latest_recording(session, call.tenant_id, call.id)
    if recording is not None:
        await finish_recording(session, call.tenant_id, recording.id)


async def finish_recording(session: AsyncSession, tenant_id: UUID, recording_id: UUID) -> None:
    """Add the job that makes the files; two of one recording never run at once."""
    await enqueue(
        session,
        tasks.assemble_recording,
        lock=f"recording/{recording_id}",
        tenant_id=str(tenant_id),
        recording_id=str(recording_id),
    )
