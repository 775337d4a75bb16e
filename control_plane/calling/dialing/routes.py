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
    """Count the phone legs that wait, are active and are finished.

    A leg whose call is over counts as the call's `status` says. Canceled calls are not counted.
    """
    counted = await repository.count_legs(session, caller.tenant_id)
    return QueueStats(
        waiting=counted[JobState.WAITING],
        active=counted[JobState.ACTIVE],
        completed=counted[JobState.COMPLETED],
        failed=counted[JobState.FAILED],
    )
