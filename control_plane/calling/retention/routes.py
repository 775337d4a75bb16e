"""``/v1/data-retention``."""

from __future__ import annotations

from uuid import UUID

from fastapi import APIRouter
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.calling.retention import repository
from control_plane.calling.retention.models import Kind
from control_plane.calling.retention.schemas import DataRetentionChanges, DataRetentionView
from control_plane.identity.authentication.dependencies import (
    AdminCaller,
    MemberCaller,
    TenantSession,
)
from control_plane.identity.authentication.refusals import ADMIN_ONLY, MEMBER_ONLY
from control_plane.platform.audit.recording import record_change
from control_plane.platform.http.openapi import problems

router = APIRouter(prefix="/v1/data-retention", tags=["data protection"])

_FIELDS: dict[Kind, str] = {
    "recordings": "recording_retention_days",
    "transcripts": "transcript_retention_days",
    "event_logs": "event_log_retention_days",
}


@router.get("", responses=problems(*MEMBER_ONLY))
async def get_data_retention(caller: MemberCaller, session: TenantSession) -> DataRetentionView:
    """For how many days recordings, transcripts and event logs are kept."""
    return await _view(session, caller.tenant_id)


@router.patch("", responses=problems(*ADMIN_ONLY))
async def change_data_retention(
    wanted: DataRetentionChanges, caller: AdminCaller, session: TenantSession
) -> DataRetentionView:
    """Change for how many days recordings, transcripts and event logs are kept.

    What is older is deleted within about an hour, and cannot be brought back. Calls and their
    charges stay.
    """
    before = await repository.days_of(session, caller.tenant_id)
    changes = {}
    for kind, field in _FIELDS.items():
        days = getattr(wanted, field)
        if field in wanted.model_fields_set and before.get(kind) != days:
            await repository.set_days(session, caller.tenant_id, kind, days)
            changes[field] = [before.get(kind), days]
    if changes:
        record_change(session, caller, "data_retention.updated", changes=changes)
    return await _view(session, caller.tenant_id)


async def _view(session: AsyncSession, tenant_id: UUID) -> DataRetentionView:
    days = await repository.days_of(session, tenant_id)
    return DataRetentionView(**{field: days.get(kind) for kind, field in _FIELDS.items()})
