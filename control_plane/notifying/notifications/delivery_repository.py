"""Every query on deliveries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import func, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.identity.accounts.models import User
from control_plane.identity.members.models import Membership
from control_plane.notifying.notifications.models import (
    DeliveryStatus,
    Notification,
    NotificationDelivery,
)
from control_plane.notifying.notifications.preferences import Channel


@dataclass(frozen=True)
class DeliveryFilter:
    channel: Channel | None = None
    status: DeliveryStatus | None = None
    event_category: str | None = None


@dataclass(frozen=True)
class Recipient:
    """A member whose mail address, or phone number, is confirmed."""

    user_id: UUID
    administers: bool


async def list_page(
    session: AsyncSession, tenant_id: UUID, wanted: DeliveryFilter, *, limit: int, offset: int
) -> tuple[Sequence[tuple[NotificationDelivery, Notification]], int]:
    """One page, newest first, and how many deliveries there are."""
    conditions = [NotificationDelivery.tenant_id == tenant_id]
    if wanted.channel is not None:
        conditions.append(NotificationDelivery.channel == wanted.channel)
    if wanted.status is not None:
        conditions.append(NotificationDelivery.status == wanted.status)
    if wanted.event_category is not None:
        conditions.append(Notification.event_category == wanted.event_category)
    total = await session.scalar(
        select(func.count()).select_from(NotificationDelivery).join(Notification).where(*conditions)
    )
    rows = await session.execute(
        select(NotificationDelivery, Notification)
        .join(Notification)
        .where(*conditions)
        .order_by(NotificationDelivery.created_at.desc(), NotificationDelivery.id)
        .limit(limit)
        .offset(offset)
    )
    return [(row[0], row[1]) for row in rows], total or 0


async def recipients(session: AsyncSession, tenant_id: UUID) -> Sequence[Recipient]:
    """The tenant's members who can get mail. Needs a system session."""
    rows = await session.execute(
        select(User.id, Membership.role)
        .join(Membership, Membership.user_id == User.id)
        .where(
            Membership.tenant_id == tenant_id,
            User.email_confirmed_at.is_not(None) | User.confirmation_waived,
        )
        .order_by(User.id)
    )
    return [Recipient(user_id, role in ("owner", "admin")) for user_id, role in rows]


async def tests_sent_since(
    session: AsyncSession, tenant_id: UUID, channel: Channel, since: datetime
) -> int:
    """How many mails or SMS were queued for tests."""
    found: int | None = await session.scalar(
        select(func.count())
        .select_from(NotificationDelivery)
        .join(Notification)
        .where(
            NotificationDelivery.tenant_id == tenant_id,
            NotificationDelivery.channel == channel,
            NotificationDelivery.created_at > since,
            Notification.is_test,
        )
    )
    return found or 0


async def outgoing(
    session: AsyncSession, delivery_id: UUID
) -> tuple[NotificationDelivery, Notification] | None:
    """A delivery that is still to be made."""
    row = (
        await session.execute(
            select(NotificationDelivery, Notification)
            .join(Notification)
            .where(
                NotificationDelivery.id == delivery_id,
                NotificationDelivery.status == DeliveryStatus.QUEUED,
            )
        )
    ).one_or_none()
    return None if row is None else (row[0], row[1])


async def address_of(session: AsyncSession, tenant_id: UUID, user_id: UUID) -> str | None:
    """A member's mail address; ``None`` for somebody who has left. Needs a system session."""
    found: str | None = await session.scalar(
        select(User.email)
        .join(Membership, Membership.user_id == User.id)
        .where(Membership.tenant_id == tenant_id, User.id == user_id)
    )
    return found


async def note_attempt(
    session: AsyncSession, delivery_id: UUID, status: DeliveryStatus, error: str | None
) -> None:
    await session.execute(
        update(NotificationDelivery)
        .where(NotificationDelivery.id == delivery_id)
        .values(
            status=status,
            attempt_count=NotificationDelivery.attempt_count + 1,
            last_error=error,
        )
    )
