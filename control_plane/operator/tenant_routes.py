"""``/v1/operator/tenants``: every tenant of the installation."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Query, status

from contracts.money import usd
from control_plane.identity.authentication.dependencies import OperatorSession, Origin
from control_plane.identity.idempotent_requests.route import IdempotentRoute, OncePerOperatorKey
from control_plane.identity.tenants import repository as tenants
from control_plane.identity.tenants import service
from control_plane.identity.tenants.errors import TenantNotFound
from control_plane.identity.tenants.opening import OnTenantOpened
from control_plane.identity.tenants.schemas import TenantCreate, TenantCreated
from control_plane.operator import tenant_repository
from control_plane.operator.money import plan_repository
from control_plane.operator.schemas import TenantChanges, TenantDetail, TenantPage, TenantView
from control_plane.operator.tenant_repository import TenantRow
from control_plane.platform.audit.recording import OPERATOR, record_act
from control_plane.platform.errors import InvalidRequest
from control_plane.platform.http.openapi import AUTHENTICATED, problems
from control_plane.platform.http.paging import Offset

router = APIRouter(
    prefix="/v1/operator/tenants",
    tags=["operator"],
    responses=problems(*AUTHENTICATED),
    route_class=IdempotentRoute,
)


@router.post("", status_code=status.HTTP_201_CREATED)
async def create_tenant(
    wanted: TenantCreate,
    session: OperatorSession,
    on_tenant_opened: OnTenantOpened,
    origin: Origin,
    _: OncePerOperatorKey,
) -> TenantCreated:
    """Open an account: a tenant with its owner, a first secret key and the welcome credit."""
    made = await service.create_tenant(session, wanted, on_tenant_opened)
    record_act(session, made.tenant_id, OPERATOR, origin, "tenant.created")
    return made


@router.get("")
async def list_tenants(
    session: OperatorSession,
    search: Annotated[
        str | None,
        Query(
            min_length=1,
            max_length=200,
            description="A part of the name or of a member's mail address, or the whole id.",
        ),
    ] = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    offset: Offset = 0,
) -> TenantPage:
    """List the tenants, newest first."""
    rows, total = await tenant_repository.list_tenants(session, search, limit=limit, offset=offset)
    return TenantPage(
        tenants=[TenantView(**_view(row)) for row in rows], total=total, limit=limit, offset=offset
    )


@router.get("/{tenant_id}", responses=problems(TenantNotFound))
async def get_tenant(tenant_id: UUID, session: OperatorSession) -> TenantDetail:
    """Get a tenant, with its owners and its numbers of calls."""
    return await _detail(session, tenant_id)


@router.patch("/{tenant_id}", responses=problems(TenantNotFound))
async def change_tenant(
    tenant_id: UUID, wanted: TenantChanges, session: OperatorSession, origin: Origin
) -> TenantDetail:
    """Change a tenant's name, tier, plan or caps. The tenant's audit log shows the change."""
    tenant = await tenants.find(session, tenant_id, for_update=True)
    if tenant is None:
        raise TenantNotFound
    if wanted.plan_id is not None and not await plan_repository.find_plan(session, wanted.plan_id):
        known = ", ".join(plan.id for plan in await plan_repository.plans(session))
        raise InvalidRequest.at("plan_id", f"is not a plan; the plans are {known}")
    changes = {
        field: [before, after]
        for field, after in wanted.model_dump(exclude_unset=True).items()
        if (before := getattr(tenant, field)) != after
    }
    for field, (_, after) in changes.items():
        setattr(tenant, field, after)
    if "plan_id" in changes:
        tenant.plan_since = datetime.now(UTC)
    if changes:
        record_act(session, tenant_id, OPERATOR, origin, "tenant.updated", changes=changes)
        await session.flush()
    return await _detail(session, tenant_id)


async def _detail(session: OperatorSession, tenant_id: UUID) -> TenantDetail:
    row = await tenant_repository.find_row(session, tenant_id)
    if row is None:
        raise TenantNotFound
    figures = await tenant_repository.figures(session, tenant_id)
    return TenantDetail(
        **_view(row),
        owner_emails=figures.owner_emails,
        calls=figures.calls,
        running_calls=figures.running_calls,
        calls_at_once=row.tenant.calls_at_once,
        calls_not_joined=row.tenant.calls_not_joined,
    )


def _view(row: TenantRow) -> dict[str, Any]:
    return {
        "id": row.tenant.id,
        "name": row.tenant.name,
        "tier": row.tenant.tier,
        "plan_id": row.tenant.plan_id,
        "created_at": row.tenant.created_at,
        "balance_usd": usd(row.balance_micros),
        "held_usd": usd(row.held_micros),
        "available_usd": usd(row.balance_micros - row.held_micros),
        "agents": row.agents,
        "calls_last_30_days": row.recent_calls,
    }
