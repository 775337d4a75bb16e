"""``/v1/calls/{call_id}/summary`` and ``/reprocess``."""

from __future__ import annotations

from uuid import UUID

from fastapi import APIRouter, status
from sqlalchemy.ext.asyncio import AsyncSession

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
from control_plane.money.spending.errors import SpendingLimited
from control_plane.money.spending.limits import Spending, meter, too_many_at_once
from control_plane.platform.audit.recording import record_change
from control_plane.platform.http.dependencies import AppSettings
from control_plane.platform.http.openapi import problems
from control_plane.platform.settings import SpendingSettings

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
    responses=problems(*MEMBER_ONLY, CallNotFound, AnalysisUnderWay, CallNotOver, SpendingLimited),
)
async def reprocess_call(
    call_id: UUID,
    caller: MemberCaller,
    session: TenantSession,
    settings: AppSettings,
    _: OncePerKey,
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
    await _meter(session, caller.tenant_id, settings)
    record_change(session, caller, "call.reprocessed", target_id=call_id)
    return AnalysisQueued(job_id=job_id, message="The call will be analysed again.")


async def _meter(session: AsyncSession, tenant_id: UUID, settings: SpendingSettings) -> None:
    """
    Raises:
        SpendingLimited: too many analyses of the tenant are under way, with the one that was just
            scheduled, or it has asked for too many in this minute or today.
    """
    # The meter first: its row stays locked, so that the tenant's requests count one after another.
    await meter(session, tenant_id, Spending.REPROCESS, settings)
    most = settings.reprocess_at_once
    if most and await repository.under_way(session, tenant_id) > most:
        raise too_many_at_once(
            "A tenant's unfinished analyses, those of calls that have just ended included, are "
            f"limited to {most}",
            most,
        )
