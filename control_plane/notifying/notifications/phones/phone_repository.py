"""Every query on members' phone numbers."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from sqlalchemy import delete, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.identity.members.models import Membership
from control_plane.notifying.notifications.delivery_repository import Recipient
from control_plane.notifying.notifications.models import NotificationPhone


async def find(
    session: AsyncSession, tenant_id: UUID, user_id: UUID, *, to_change: bool = False
) -> NotificationPhone | None:
    query = select(NotificationPhone).where(
        NotificationPhone.tenant_id == tenant_id, NotificationPhone.user_id == user_id
    )
    found: NotificationPhone | None = await session.scalar(
        query.with_for_update() if to_change else query
    )
    return found


async def put(
    session: AsyncSession,
    tenant_id: UUID,
    user_id: UUID,
    number: str,
    *,
    code_hash: bytes,
    code_expires_at: datetime,
) -> None:
    """Replace the member's number by one that is not confirmed yet."""
    values = {
        "number": number,
        "code_hash": code_hash,
        "code_expires_at": code_expires_at,
        "confirmed_at": None,
    }
    await session.execute(
        insert(NotificationPhone)
        .values({"tenant_id": tenant_id, "user_id": user_id} | values)
        .on_conflict_do_update(index_elements=["tenant_id", "user_id"], set_=values)
    )


async def remove(session: AsyncSession, tenant_id: UUID, user_id: UUID) -> None:
    await session.execute(
        delete(NotificationPhone).where(
            NotificationPhone.tenant_id == tenant_id, NotificationPhone.user_id == user_id
        )
    )


async def recipients(session: AsyncSession, tenant_id: UUID) -> Sequence[Recipient]:
    """The tenant's members with a confirmed number. Needs a system session."""
    rows = await session.execute(
        select(NotificationPhone.user_id, Membership.role)
        .join(
            Membership,
            (Membership.tenant_id == NotificationPhone.tenant_id)
            & (Membership.user_id == NotificationPhone.user_id),
        )
        .where(
            NotificationPhone.tenant_id == tenant_id, NotificationPhone.confirmed_at.is_not(None)
        )
        .order_by(NotificationPhone.user_id)
    )
    return [Recipient(user_id, role in ("owner", "admin")) for user_id, role in rows]


async def number_of(session: AsyncSession, tenant_id: UUID, user_id: UUID) -> str | None:
    """A member's confirmed number."""
    phone = await find(session, tenant_id, user_id)
    return None if phone is None or phone.confirmed_at is None else phone.number
