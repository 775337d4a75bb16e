"""``/v1/notifications/settings``."""

from __future__ import annotations

from fastapi import APIRouter

from control_plane.identity.authentication.dependencies import (
    AdminCaller,
    MemberCaller,
    TenantSession,
)
from control_plane.identity.authentication.refusals import ADMIN_ONLY, MEMBER_ONLY
from control_plane.notifying.notifications import settings_repository
from control_plane.notifying.notifications.schemas import (
    NotificationSettingsChange,
    NotificationSettingsView,
)
from control_plane.platform.audit.recording import record_change
from control_plane.platform.http.openapi import problems

router = APIRouter(prefix="/v1/notifications/settings", tags=["notifications"])


@router.get("", responses=problems(*MEMBER_ONLY))
async def get_settings(caller: MemberCaller, session: TenantSession) -> NotificationSettingsView:
    """In which time zone the tenant's days and months begin."""
    found = await settings_repository.of_tenant(session, caller.tenant_id)
    return NotificationSettingsView(time_zone=found.time_zone)


@router.put("", responses=problems(*ADMIN_ONLY))
async def change_settings(
    wanted: NotificationSettingsChange, caller: AdminCaller, session: TenantSession
) -> NotificationSettingsView:
    """Set the time zone of daily and monthly summaries. They are told from 08:00 in it."""
    await settings_repository.set_time_zone(session, caller.tenant_id, wanted.time_zone)
    record_change(
        session,
        caller,
        "notification_settings.updated",
        target_id=caller.tenant_id,
        changes={"time_zone": wanted.time_zone},
    )
    return NotificationSettingsView(time_zone=wanted.time_zone)
