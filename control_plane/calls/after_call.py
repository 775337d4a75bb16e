"""What follows the end of a call: jobs, added in the transaction that ends it."""

from __future__ import annotations

from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.calls import tasks
from control_plane.calls.models import Call
from control_plane.job_queue import enqueue
from control_plane.recordings.finishing import finish_recording_of


async def begin_after_call(session: AsyncSession, call: Call) -> None:
    """``call`` is over and settled, its row locked, its plan loaded."""
    await enqueue(
        session,
        tasks.calculate_provider_cost,
        tenant_id=str(call.tenant_id),
        call_id=str(call.id),
    )
    await finish_recording_of(session, call)
