"""``/v1/audit-log``."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query

from contracts.json_types import Timestamp
from control_plane.identity.audit_log.schemas import AuditEntryView, AuditLogPage
from control_plane.identity.authentication.dependencies import AdminCaller, TenantSession
from control_plane.identity.authentication.refusals import ADMIN_ONLY
from control_plane.platform.audit import repository
from control_plane.platform.audit.repository import AuditFilter
from control_plane.platform.http.openapi import problems
from control_plane.platform.http.paging import Offset

router = APIRouter(prefix="/v1/audit-log", tags=["audit log"], responses=problems(*ADMIN_ONLY))


@router.get("")
async def list_audit_log(
    caller: AdminCaller,
    session: TenantSession,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    offset: Offset = 0,
    action: Annotated[
        str | None,
        Query(
            max_length=100,
            description="An action such as `agent.published`, or a kind of record such as `agent`.",
        ),
    ] = None,
    actor_id: UUID | None = None,
    target_id: Annotated[str | None, Query(max_length=200)] = None,
    since: Timestamp | None = None,
    until: Timestamp | None = None,
) -> AuditLogPage:
    """Who changed what, when and from where, newest first. For owners and admins."""
    wanted = AuditFilter(action, actor_id, target_id, since, until)
    entries, total = await repository.list_entries(
        session, caller.tenant_id, wanted, limit=limit, offset=offset
    )
    return AuditLogPage(
        entries=[AuditEntryView.model_validate(entry) for entry in entries],
        total=total,
        offset=offset,
        limit=limit,
    )
