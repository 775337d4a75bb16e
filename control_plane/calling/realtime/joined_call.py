"""A call as its participants see it: with whom they talk, and afterwards what came of it."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from pydantic import BaseModel, Field
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.calling.calls.errors import CallNotFound
from control_plane.calling.calls.feedback.schemas import CallFeedback
from control_plane.calling.calls.queries import call_records
from control_plane.calling.calls.schemas import AgentName
from control_plane.calling.intelligence import repository as analyses
from control_plane.calling.realtime.access_token import RoomAccess
from control_plane.calling.recordings.schemas import RecordingView
from control_plane.calling.recordings.views import find_recording_view
from control_plane.platform.settings import ControlPlaneSettings


class JoinedCall(BaseModel):
    id: UUID
    status: str
    agent: AgentName
    started_at: datetime | None
    ended_at: datetime | None
    end_reason: str | None
    duration_seconds: float | None = Field(description="Connected time; `null` until the end.")
    intelligence_status: str = Field(description="How far the analysis of the call has come.")
    summary: str | None
    recording: RecordingView | None
    feedback: CallFeedback | None


async def joined_call(
    session: AsyncSession, access: RoomAccess, settings: ControlPlaneSettings
) -> JoinedCall:
    """
    Raises:
        CallNotFound: there is no such call.
    """
    tenant_id, call_id = access.tenant_id, access.call_id
    call = await call_records.find_call(session, tenant_id, call_id, with_plan=True)
    if call is None:
        raise CallNotFound
    analysis = await analyses.find(session, tenant_id, call_id)
    return JoinedCall(
        id=call.id,
        status=call.status,
        agent=AgentName(id=call.agent_id, name=call.plan["agent"]["name"]),
        started_at=call.started_at,
        ended_at=call.ended_at,
        end_reason=call.end_reason,
        duration_seconds=None if call.ended_at is None else (call.connected_ms or 0) / 1000,
        intelligence_status=call.intelligence_status,
        summary=None if analysis is None else analysis.summary,
        recording=await find_recording_view(session, tenant_id, call_id, settings),
        feedback=None if call.feedback is None else CallFeedback.model_validate(call.feedback),
    )
