"""``/v1/calls/batch``."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query, status
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.building.agents.errors import AgentNotFound, AgentNotPublishReady
from control_plane.building.agents.tenant_json_schemas import SchemasChecked
from control_plane.calling.batches import repository, service
from control_plane.calling.batches.errors import BatchNotFound
from control_plane.calling.batches.schemas import (
    BatchAccepted,
    BatchPage,
    BatchRequest,
    BatchRowPage,
    BatchView,
)
from control_plane.calling.batches.views import batch_view, row_view
from control_plane.calling.calls.creating.planning import AppPlanSources
from control_plane.calling.calls.errors import ProviderKeyUnavailable
from control_plane.calling.pauses.errors import AgentAdminPaused, PlatformCallsDisabled
from control_plane.calling.telecom.errors import PhoneDailySpendReached
from control_plane.identity.authentication.dependencies import MemberCaller, TenantSession
from control_plane.identity.authentication.refusals import MEMBER_ONLY
from control_plane.identity.idempotent_requests.route import IdempotentRoute, OncePerKey
from control_plane.money.billing.errors import InsufficientCredits
from control_plane.platform.http.dependencies import AppDatabase, AppSettings
from control_plane.platform.http.openapi import problems
from control_plane.platform.http.paging import Offset

router = APIRouter(prefix="/v1/calls/batch", tags=["batches"], route_class=IdempotentRoute)


@router.post(
    "",
    status_code=status.HTTP_202_ACCEPTED,
    responses=problems(
        *MEMBER_ONLY,
        PhoneDailySpendReached,
        PlatformCallsDisabled,
        AgentNotFound,
        AgentAdminPaused,
        AgentNotPublishReady,
        ProviderKeyUnavailable,
        InsufficientCredits,
    ),
)
async def create_batch(
    wanted: BatchRequest,
    caller: MemberCaller,
    _schemas: SchemasChecked,
    session: TenantSession,
    settings: AppSettings,
    sources: AppPlanSources,
    _: OncePerKey,
) -> BatchAccepted:
    """Call up to 500 phones with one agent.

    `errors` lists the recipients that cannot be called; the others are called anyway. If none can
    be called, the batch is refused (400). Errors that concern the whole batch are those of
    `POST /v1/calls`. The calls are queued within seconds.
    """
    return await service.create_batch(session, caller, wanted, settings, sources)


@router.get("", responses=problems(*MEMBER_ONLY))
async def list_batches(
    caller: MemberCaller,
    session: TenantSession,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    offset: Offset = 0,
) -> BatchPage:
    """List batches with their progress, newest first."""
    batches, total = await repository.page_of_batches(
        session, caller.tenant_id, limit=limit, offset=offset
    )
    counted = await repository.count_rows(
        session, caller.tenant_id, [batch.id for batch in batches]
    )
    return BatchPage(
        batches=[batch_view(batch, counted.get(batch.id, {})) for batch in batches],
        total=total,
        offset=offset,
        limit=limit,
    )


@router.get("/{batch_id}", responses=problems(*MEMBER_ONLY, BatchNotFound))
async def get_batch(batch_id: UUID, caller: MemberCaller, session: TenantSession) -> BatchView:
    """A batch with its progress."""
    return await _shown(session, caller.tenant_id, batch_id)


@router.get("/{batch_id}/recipients", responses=problems(*MEMBER_ONLY, BatchNotFound))
async def list_recipients(
    batch_id: UUID,
    caller: MemberCaller,
    session: TenantSession,
    limit: Annotated[int, Query(ge=1, le=500)] = 100,
    offset: Offset = 0,
) -> BatchRowPage:
    """List the recipients of a batch with their status, in the order of the request."""
    if await repository.find(session, caller.tenant_id, batch_id) is None:
        raise BatchNotFound
    rows, total = await repository.page_of_rows(
        session, caller.tenant_id, batch_id, limit=limit, offset=offset
    )
    return BatchRowPage(
        recipients=[row_view(row) for row in rows], total=total, offset=offset, limit=limit
    )


@router.post("/{batch_id}/cancel", responses=problems(*MEMBER_ONLY, BatchNotFound))
async def cancel_batch(batch_id: UUID, caller: MemberCaller, database: AppDatabase) -> BatchView:
    """Cancel a batch: nobody else is dialed. Phones that are ringing and calls in progress go on;
    waiting calls end as `canceled`, in a large batch within seconds. Canceling again changes
    nothing."""
    await service.cancel_batch(database, caller, batch_id)
    async with database.tenant_session(caller.tenant_id) as session:
        return await _shown(session, caller.tenant_id, batch_id)


async def _shown(session: AsyncSession, tenant_id: UUID, batch_id: UUID) -> BatchView:
    batch = await repository.find(session, tenant_id, batch_id)
    if batch is None:
        raise BatchNotFound
    counted = await repository.count_rows(session, tenant_id, [batch_id])
    return batch_view(batch, counted.get(batch_id, {}))
