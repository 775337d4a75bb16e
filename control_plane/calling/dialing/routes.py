"""``/v1/calls/queue``."""

from __future__ import annotations

from fastapi import APIRouter

from control_plane.calling.dialing import repository
from control_plane.calling.dialing.models import JobState
from control_plane.calling.dialing.schemas import QueueStats
from control_plane.identity.authentication.dependencies import MemberCaller, TenantSession
from control_plane.identity.authentication.refusals import MEMBER_ONLY
from control_plane.platform.http.openapi import problems

router = APIRouter(prefix="/v1/calls/queue", tags=["dialing queue"])


@router.get("/stats", responses=problems(*MEMBER_ONLY))
async def queue_stats(caller: MemberCaller, session: TenantSession) -> QueueStats:
    """Count the phone legs that wait, are active and are finished."""
    counted = await repository.count_by_state(session, caller.tenant_id)
    return QueueStats(
        waiting=counted.get(JobState.WAITING, 0),
        active=counted.get(JobState.ACTIVE, 0),
        completed=counted.get(JobState.COMPLETED, 0),
        failed=counted.get(JobState.FAILED, 0) + counted.get(JobState.CANCELED, 0),
    )
