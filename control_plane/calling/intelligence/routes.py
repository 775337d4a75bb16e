"""``/v1/calls/{call_id}/summary`` and ``/reprocess``."""

from __future__ import annotations

from uuid import UUID

from fastapi import APIRouter, status

from control_plane.calling.calls.errors import CallNotFound
from control_plane.calling.calls.queries.call_records import find_call
from control_plane.calling.calls.repository import locked_call
from control_plane.calling.intelligence import repository, scheduling
from control_plane.calling.intelligence.errors import (
    AnalysisUnderWay,
    CallNotOver,
    SummaryNotAvailable,
)
from control_plane.calling.intelligence.schemas import AnalysisQueued, SummaryView
from control_plane.calling.intelligence.views import summary_view
from control_plane.identity.authentication.dependencies import MemberCaller, TenantSession
from control_plane.identity.authentication.refusals import MEMBER_ONLY
from control_plane.identity.idempotent_requests.route import IdempotentRoute, OncePerKey
from control_plane.platform.audit.recording import record_change
from control_plane.platform.http.openapi import problems

router = APIRouter(prefix="/v1/calls", tags=["post-call"], route_class=IdempotentRoute)


@router.get(
    "/{call_id}/summary", responses=problems(*MEMBER_ONLY, CallNotFound, SummaryNotAvailable)
)
async def get_summary(call_id: UUID, caller: MemberCaller, session: TenantSession) -> SummaryView:
    """Return the stored summary of a call and the caller's sentiment. This starts no analysis.

    The answer is 404 until the first analysis of the call has finished."""
    call = await find_call(session, caller.tenant_id, call_id)
    if call is None:
        raise CallNotFound
    analysis = await repository.find(session, caller.tenant_id, call_id)
    if analysis is None or analysis.finished_at is None:
        raise SummaryNotAvailable(
            "The call is being analysed; try again in a moment" if analysis else None
        )
    return summary_view(call, analysis)


@router.post(
    "/{call_id}/reprocess",
    status_code=status.HTTP_202_ACCEPTED,
    responses=problems(*MEMBER_ONLY, CallNotFound, AnalysisUnderWay, CallNotOver),
)
async def reprocess_call(
    call_id: UUID, caller: MemberCaller, session: TenantSession, _: OncePerKey
) -> AnalysisQueued:
    """Analyse a call again, with the settings that were stored when it was created.

    The earlier results stay until the new ones are ready. Then `call.completed` and
    `call.intelligence.ready` are sent again."""
    call = await locked_call(session, caller.tenant_id, call_id)
    if call is None:
        raise CallNotFound
    if not call.is_over:
        raise CallNotOver
    job_id = await scheduling.schedule(session, call)
    record_change(session, caller, "call.reprocessed", target_id=call_id)
    return AnalysisQueued(job_id=job_id, message="The call will be analysed again.")
