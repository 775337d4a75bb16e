"""Changing and ending memberships, and who may do it."""

from __future__ import annotations

from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.identity.authentication.errors import RoleRequired
from control_plane.identity.members import repository
from control_plane.identity.members.errors import LastOwner, MemberNotFound
from control_plane.identity.members.models import Membership
from control_plane.platform.audit.recording import record_change
from control_plane.platform.tenancy.caller import Caller, Role


async def change_role(session: AsyncSession, caller: Caller, user_id: UUID, role: Role) -> None:
    """
    Raises:
        MemberNotFound
        RoleRequired: only an owner can make or unmake an owner.
        LastOwner: the tenant would be left without an owner.
    """
    membership, owners = await _locked(session, caller, user_id)
    if membership.role == role:
        return
    check_may_grant(caller, membership.role)
    check_may_grant(caller, role)
    if membership.role == "owner":
        _check_not_last(owners)
    changes = {"role": [membership.role, role]}
    membership.role = role
    await session.flush()
    record_change(session, caller, "member.role_changed", target_id=user_id, changes=changes)


async def remove_member(session: AsyncSession, caller: Caller, user_id: UUID) -> None:
    """End a membership, and with it the user's sessions in this tenant.

    Raises:
        MemberNotFound
        RoleRequired: only an owner can remove an owner.
        LastOwner: the tenant would be left without an owner.
    """
    membership, owners = await _locked(session, caller, user_id)
    check_may_grant(caller, membership.role)
    await _end(session, caller, membership, owners, "member.removed")


async def leave(session: AsyncSession, caller: Caller) -> None:
    """End the caller's own membership. ``caller`` is a user.

    Raises:
        LastOwner: the tenant would have none.
    """
    assert caller.actor.id is not None
    membership, owners = await _locked(session, caller, caller.actor.id)
    await _end(session, caller, membership, owners, "member.left")


def check_may_grant(caller: Caller, role: str) -> None:
    """Check that ``caller`` may give or take away a role.

    Raises:
        RoleRequired: only owners, logged in themselves, can make or unmake owners.
    """
    if role == "owner" and caller.role != "owner":
        raise RoleRequired("Only an owner with a dashboard session can make or unmake an owner")


async def _locked(session: AsyncSession, caller: Caller, user_id: UUID) -> tuple[Membership, int]:
    membership, owners = await repository.locked_memberships(session, caller.tenant_id, user_id)
    if membership is None:
        raise MemberNotFound
    return membership, owners


async def _end(
    session: AsyncSession, caller: Caller, membership: Membership, owners: int, action: str
) -> None:
    if membership.role == "owner":
        _check_not_last(owners)
    await repository.remove(session, caller.tenant_id, membership.user_id)
    record_change(
        session,
        caller,
        action,
        target_id=membership.user_id,
        changes={"role": [membership.role, None]},
    )


def _check_not_last(owners: int) -> None:
    if owners == 1:
        raise LastOwner("Make another member an owner first")
