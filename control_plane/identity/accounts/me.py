"""The caller's own data, as ``/v1/me`` shows it."""

from __future__ import annotations

from typing import Literal, cast
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.identity.accounts import repository
from control_plane.identity.accounts.models import User
from control_plane.identity.accounts.schemas import CurrentTenant, Me, OwnTenant, Person, UsedKey
from control_plane.identity.members import repository as members
from control_plane.identity.tenants import repository as tenants
from control_plane.platform.errors import Unauthorized
from control_plane.platform.tenancy.caller import Actor, Role


async def me_of_user(
    session: AsyncSession, user_id: UUID, tenant_id: UUID, *, csrf_token: str
) -> Me:
    """Needs a system session, because the user may belong to several tenants.

    Raises:
        Unauthorized: no such user, or not a member of this tenant, such as since a moment ago.
    """
    user = await repository.find(session, user_id)
    own_tenants = await members.of_user(session, user_id)
    role = next((tenant.role for tenant in own_tenants if tenant.tenant_id == tenant_id), None)
    if user is None or role is None:
        raise Unauthorized("You are no longer a member of this tenant; log in again")
    return Me(
        actor="user",
        user=person_of(user),
        api_key=None,
        tenant=await _current(session, tenant_id),
        role=cast(Role, role),
        tenants=[
            OwnTenant(id=tenant.tenant_id, name=tenant.name, role=cast(Role, tenant.role))
            for tenant in own_tenants
        ],
        csrf_token=csrf_token,
    )


async def me_of_key(session: AsyncSession, tenant_id: UUID, key: Actor) -> Me:
    """A key acts for its tenant, not for a person. ``key.id`` is set."""
    assert key.id is not None
    return Me(
        actor="secret_key",
        user=None,
        api_key=UsedKey(id=key.id, name=key.label),
        tenant=await _current(session, tenant_id),
        role=None,
        tenants=[],
        csrf_token=None,
    )


def person_of(user: User) -> Person:
    return Person(
        id=user.id,
        email=user.email,
        name=user.name,
        email_confirmed=user.email_confirmed_at is not None,
    )


async def _current(session: AsyncSession, tenant_id: UUID) -> CurrentTenant:
    tenant = await tenants.get(session, tenant_id)
    return CurrentTenant(
        id=tenant.id,
        name=tenant.name,
        tier=cast(Literal["free", "enterprise"], tenant.tier),
        plan_id=tenant.plan_id,
    )
