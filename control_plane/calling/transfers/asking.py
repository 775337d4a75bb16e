"""From a worker's event to the job that calls the phone.

The job is named, not imported: it needs all that creates calls, which is above the events.
"""

from __future__ import annotations

from sqlalchemy.ext.asyncio import AsyncSession

from contracts.events import PhoneWanted
from control_plane.calling.calls.models import Call
from control_plane.platform.job_queue import PATIENT_QUEUE, enqueue

DIAL = "transfers.dial"


async def ask_for_phone(session: AsyncSession, call: Call, wanted: PhoneWanted) -> None:
    """Have the phone called, once ``session`` has committed. Nothing, if the call is over."""
    if call.is_over:
        return
    await enqueue(
        session,
        DIAL,
        queue=PATIENT_QUEUE,
        tenant_id=str(call.tenant_id),
        call_id=str(call.id),
        participant_id=str(wanted.participant_id),
        to_number=wanted.to_number,
    )
