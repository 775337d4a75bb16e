"""``/v1/operator/announcements``, and the news that a number has been ported."""

from __future__ import annotations

from uuid import UUID

import structlog
from fastapi import APIRouter, status

from control_plane.identity.authentication.dependencies import OperatorSession, Origin
from control_plane.identity.idempotent_requests.route import IdempotentRoute, OncePerOperatorKey
from control_plane.identity.tenants import repository as tenants
from control_plane.identity.tenants.errors import TenantNotFound
from control_plane.operator.announcements import announce, tell_porting
from control_plane.operator.schemas import (
    Announced,
    Announcement,
    PortedNumber,
    PortingTold,
)
from control_plane.platform.audit.recording import OPERATOR, record_act
from control_plane.platform.http.openapi import AUTHENTICATED, problems

router = APIRouter(
    prefix="/v1/operator",
    tags=["operator"],
    responses=problems(*AUTHENTICATED),
    route_class=IdempotentRoute,
)
_log = structlog.get_logger(__name__)


@router.post(
    "/announcements",
    status_code=status.HTTP_201_CREATED,
    responses=problems(TenantNotFound),
)
async def announce_maintenance(
    wanted: Announcement, session: OperatorSession, _: OncePerOperatorKey
) -> Announced:
    """Tell every tenant, or one, of maintenance. It is mailed unless a tenant's preferences say
    otherwise."""
    if wanted.tenant_id is not None and await tenants.find(session, wanted.tenant_id) is None:
        raise TenantNotFound
    count = await announce(
        session,
        wanted.tenant_id,
        title=wanted.title,
        message=wanted.message,
        metadata=wanted.model_dump(mode="json", include={"starts_at", "ends_at"}),
    )
    _log.info("maintenance_announced", title=wanted.title, tenants=count)
    return Announced(tenants=count)


@router.post(
    "/tenants/{tenant_id}/porting-complete",
    status_code=status.HTTP_201_CREATED,
    responses=problems(TenantNotFound),
)
async def announce_porting(
    tenant_id: UUID,
    wanted: PortedNumber,
    session: OperatorSession,
    origin: Origin,
    _: OncePerOperatorKey,
) -> PortingTold:
    """Tell a tenant that one of its numbers has been ported. This changes nothing about the
    number."""
    if await tenants.find(session, tenant_id) is None:
        raise TenantNotFound
    tell_porting(session, tenant_id, wanted.number)
    record_act(session, tenant_id, OPERATOR, origin, "number.porting_told", target_id=wanted.number)
    return PortingTold(tenant_id=tenant_id, number=wanted.number)
