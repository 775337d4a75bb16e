"""Every query on memberships."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import Select, delete, func, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.identity.accounts.models import User
from control_plane.identity.members.models import Membership
from control_plane.platform.tenancy.models import Tenant


@dataclass(frozen=True)
class TenantOfUser:
    """One of a user's tenants."""

    tenant_id: UUID
    name: str
    role: str


@dataclass(frozen=True)
class Member:
    """One of a tenant's members."""

    user_id: UUID
    email: str
    name: str | None
    role: str
    joined_at: datetime


async def of_user(
    session: AsyncSession, user_id: UUID, *, lock: bool = False
) -> Sequence[TenantOfUser]:
    """The user's tenants, in the order of joining. Needs a system session.

    Args:
        lock: no membership ends before the transaction does, and one that is just ending is left
            out.
    """
    query = (
        select(Membership.tenant_id, Tenant.name, Membership.role)
        .join(Tenant, Tenant.id == Membership.tenant_id)
        .where(Membership.user_id == user_id)
        .order_by(Membership.joined_at, Membership.tenant_id)
    )
    if lock:
        query = query.with_for_update(read=True, key_share=True, of=Membership)
    rows = await session.execute(query)
    return [TenantOfUser(*row) for row in rows]


async def add(session: AsyncSession, tenant_id: UUID, user_id: UUID, role: str) -> bool:
    """Make a user a member; ``False`` if they already are one, and then keep their role."""
    added = await session.scalar(
        insert(Membership)
        .values(tenant_id=tenant_id, user_id=user_id, role=role)
        .on_conflict_do_nothing()
        .returning(Membership.user_id)
    )
    return added is not None


async def list_members(
    session: AsyncSession, tenant_id: UUID, *, limit: int, offset: int
) -> tuple[Sequence[Member], int]:
    """One page, in the order of joining, and the total."""
    total = await session.scalar(
        select(func.count()).select_from(Membership).where(Membership.tenant_id == tenant_id)
    )
    rows = await session.execute(
        _members(tenant_id)
        .order_by(Membership.joined_at, Membership.user_id)
        .limit(limit)
        .offset(offset)
    )
    return [Member(*row) for row in rows], total or 0


async def find_member(session: AsyncSession, tenant_id: UUID, user_id: UUID) -> Member | None:
    rows = await session.execute(_members(tenant_id).where(Membership.user_id == user_id))
    row = rows.one_or_none()
    return None if row is None else Member(*row)


async def has_member(session: AsyncSession, tenant_id: UUID, email: str) -> bool:
    found = await session.scalar(
        select(Membership.user_id)
        .join(User, User.id == Membership.user_id)
        .where(Membership.tenant_id == tenant_id, User.email == email)
    )
    return found is not None


async def locked_memberships(
    session: AsyncSession, tenant_id: UUID, user_id: UUID
) -> tuple[Membership | None, int]:
    """The user's membership and the number of the tenant's owners. Both stay true until the end of
    the transaction: other transactions that change an owner wait, and then see this one's
    change."""
    rows = await session.scalars(
        select(Membership)
        .where(
            Membership.tenant_id == tenant_id,
            (Membership.role == "owner") | (Membership.user_id == user_id),
        )
        # Always locked in the same order, so that transactions cannot deadlock.
        .order_by(Membership.user_id)
        .with_for_update()
        .execution_options(populate_existing=True)
    )
    found = rows.all()
    wanted = next((row for row in found if row.user_id == user_id), None)
    return wanted, sum(row.role == "owner" for row in found)


async def remove(session: AsyncSession, tenant_id: UUID, user_id: UUID) -> None:
    """Delete the membership, and with it the user's sessions in this tenant."""
    await session.execute(
        delete(Membership).where(Membership.tenant_id == tenant_id, Membership.user_id == user_id)
    )


async def remove_from_all(session: AsyncSession, user_id: UUID) -> None:
    """Delete the user's memberships, and with them the user's sessions. Needs a system session."""
    await session.execute(delete(Membership).where(Membership.user_id == user_id))


def _members(tenant_id: UUID) -> Select[UUID, str, str | None, str, datetime]:
    # Column by column: a tenant's transaction may read only these columns of a user.
    return (
        select(User.id, User.email, User.name, Membership.role, Membership.joined_at)
        .join(Membership, Membership.user_id == User.id)
        .where(Membership.tenant_id == tenant_id)
    )
