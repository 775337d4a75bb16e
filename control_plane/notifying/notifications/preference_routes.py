"""``/v1/notifications/preferences``."""

from __future__ import annotations

from typing import Annotated, Literal
from uuid import UUID

from fastapi import APIRouter, Query
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.identity.authentication.dependencies import (
    AdminCaller,
    MemberCaller,
    TenantSession,
    UserCaller,
)
from control_plane.identity.authentication.refusals import ADMIN_ONLY, MEMBER_ONLY, USER_ONLY
from control_plane.notifying.notifications import preference_repository as repository
from control_plane.notifying.notifications.preference_views import (
    of_caller,
    of_tenant,
    row,
    rows,
)
from control_plane.notifying.notifications.preferences import Channel
from control_plane.notifying.notifications.schemas import (
    ChangedPreference,
    PreferenceChange,
    TenantPreferences,
    UserPreferences,
)
from control_plane.platform.audit.recording import record_change
from control_plane.platform.http.openapi import problems
from control_plane.platform.tenancy.caller import Caller

router = APIRouter(prefix="/v1/notifications/preferences", tags=["notifications"])

_FIELDS: dict[str, Channel] = {
    "email_enabled": "email",
    "sms_enabled": "sms",
    "in_app_enabled": "in_app",
    "webhook_enabled": "webhook",
}


@router.get("", responses=problems(*MEMBER_ONLY))
async def get_preferences(
    caller: MemberCaller,
    session: TenantSession,
    scope: Annotated[
        Literal["tenant", "all"],
        Query(
            description="`tenant`: the tenant's preferences. `all`: what holds for the caller, the"
            " user's own preferences over the tenant's; a key has none of its own."
        ),
    ] = "tenant",
) -> TenantPreferences:
    """Over which channels each category is delivered."""
    shown = await (of_tenant if scope == "tenant" else of_caller)(session, caller)
    return TenantPreferences(data=rows(shown), scope=scope)


@router.put("", responses=problems(*ADMIN_ONLY))
async def change_preferences(
    wanted: PreferenceChange, caller: AdminCaller, session: TenantSession
) -> ChangedPreference:
    """Change the tenant's preferences for one category. They hold for every member who has none of
    their own."""
    await _choose(session, caller, caller.tenant_id, wanted)
    shown = await of_tenant(session, caller)
    return ChangedPreference(data=row(wanted.event_category, shown[wanted.event_category]))


@router.get("/me", responses=problems(*USER_ONLY))
async def get_my_preferences(caller: UserCaller, session: TenantSession) -> UserPreferences:
    """The user's own preferences, which come before the tenant's."""
    return UserPreferences(data=rows(await of_caller(session, caller, only_own=True)))


@router.put("/me", responses=problems(*USER_ONLY))
async def change_my_preferences(
    wanted: PreferenceChange, caller: UserCaller, session: TenantSession
) -> ChangedPreference:
    """Change the user's own preferences for one category, in this tenant."""
    assert caller.actor.id is not None, "the actor of a session is a user"
    await _choose(session, caller, caller.actor.id, wanted)
    shown = await of_caller(session, caller)
    return ChangedPreference(data=row(wanted.event_category, shown[wanted.event_category]))


async def _choose(
    session: AsyncSession, caller: Caller, owner_id: UUID, wanted: PreferenceChange
) -> None:
    said = wanted.model_dump(include=set(_FIELDS), exclude_none=True)
    chosen = {_FIELDS[name]: value for name, value in said.items()}
    await repository.choose(session, caller.tenant_id, owner_id, wanted.event_category, chosen)
    record_change(
        session,
        caller,
        "notification_preferences.updated",
        target_id=wanted.event_category,
        changes={"of": "tenant" if owner_id == caller.tenant_id else "user"} | said,
    )
