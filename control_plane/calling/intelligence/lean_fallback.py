"""The lean ``call.completed``: what integrators get at once while the analysis has to wait."""

from __future__ import annotations

from datetime import UTC, datetime

from sqlalchemy.ext.asyncio import AsyncSession

from contracts.call_status import CallStatus
from control_plane.calling.calls.models import Call
from control_plane.calling.calls.outbox_payloads import add_lean_call_completed
from control_plane.calling.intelligence import repository
from control_plane.calling.intelligence.models import CallAnalysis


async def send_lean_once(session: AsyncSession, call: Call, analysis: CallAnalysis) -> None:
    """Send it, unless it or a rich one has gone out for the call before."""
    if (
        call.status != CallStatus.COMPLETED.value
        or analysis.lean_sent_at is not None
        or analysis.finished_at is not None
    ):
        return
    analysis.lean_sent_at = datetime.now(UTC)
    said = await repository.transcript(session, call.tenant_id, call.id)
    add_lean_call_completed(session, call, said)
