"""What the worker's recording events do to a call's recording."""

from __future__ import annotations

from sqlalchemy.ext.asyncio import AsyncSession

from contracts.events import CallEvent, RecordingStarted, RecordingStopped
from control_plane.calls.models import Call


async def apply_recording_event(
    session: AsyncSession,
    call: Call,
    event: CallEvent,
    body: RecordingStarted | RecordingStopped,
) -> None:
    """Note it, in the transaction that applies ``event``; each event comes here once."""
