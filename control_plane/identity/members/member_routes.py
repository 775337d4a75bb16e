"""``/v1/members``."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query, Response

from control_plane.identity.accounts.sessions.browser import take_session
from control_plane.identity.authentication.dependencies import (
    AdminCaller,
    MemberCaller,
    TenantSession,
    UserCaller,
)
from control_plane.identity.authentication.refusals import ADMIN_ONLY, MEMBER_ONLY, USER_ONLY
from control_plane.identity.members import repository, service
from control_plane.identity.members.errors import LastOwner, MemberNotFound
from control_plane.identity.members.schemas import (
    MemberList,
    MemberRemoved,
    MemberUpdate,
    MemberView,
)
from control_plane.platform.http.dependencies import AppSettings
from control_plane.platform.http.openapi import problems
from control_plane.platform.http.paging import Offset

router = APIRouter(prefix="/members")


@router.get("", responses=problems(*MEMBER_ONLY))
async def list_members(
    caller: MemberCaller,
    session: TenantSession,
    limit: Annotated[int, Query(ge=1, le=500)] = 50,
    offset: Offset = 0,
) -> MemberList:
    """List the members of your tenant, in the order in which they joined."""
    found, total = await repository.list_members(
        session, caller.tenant_id, limit=limit, offset=offset
    )
    return MemberList(
        members=[MemberView.model_validate(member) for member in found],
        total=total,
        offset=offset,
        limit=limit,
    )


@router.delete("/me", responses=problems(*USER_ONLY, LastOwner))
async def leave_tenant(
    caller: UserCaller, session: TenantSession, settings: AppSettings, response: Response
) -> MemberRemoved:
    """Leave the tenant. Your sessions in it end, including this one."""
    await service.leave(session, caller)
    take_session(response, is_https=settings.public_url.startswith("https:"))
    assert caller.actor.id is not None
    return MemberRemoved(user_id=caller.actor.id)


@router.patch("/{user_id}", responses=problems(*ADMIN_ONLY, LastOwner, MemberNotFound))
async def change_member(
    user_id: UUID, changes: MemberUpdate, caller: AdminCaller, session: TenantSession
) -> MemberView:
    """Change a member's role. It applies at once. Only an owner's session can make or unmake an
    owner."""
    await service.change_role(session, caller, user_id, changes.role)
    changed = await repository.find_member(session, caller.tenant_id, user_id)
    return MemberView.model_validate(changed)


@router.delete("/{user_id}", responses=problems(*ADMIN_ONLY, LastOwner, MemberNotFound))
async def remove_member(
    user_id: UUID, caller: AdminCaller, session: TenantSession
) -> MemberRemoved:
    """Remove a member. Their sessions in this tenant end at once; the tenant's API keys stay. Only
    an owner's session can remove an owner."""
    await service.remove_member(session, caller, user_id)
    return MemberRemoved(user_id=user_id)
