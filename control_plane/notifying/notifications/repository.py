"""Every query on notifications and on who has read them.

A reader is a user, or the tenant for all of its keys.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import ColumnElement, and_, delete, func, literal, or_, select, true, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.notifying.notifications.models import Notification, NotificationRead


@dataclass(frozen=True)
class Feed:
    """The notifications of one reader.

    Args:
        hidden: categories that the reader does not want to see.
    """

    tenant_id: UUID
    reader_id: UUID
    hidden: Collection[str] = ()

    def shown(self) -> ColumnElement[bool]:
        return and_(
            Notification.tenant_id == self.tenant_id,
            func.coalesce(Notification.is_shown, Notification.event_category.not_in(self.hidden)),
            or_(NotificationRead.is_cleared.is_(None), ~NotificationRead.is_cleared),
        )

    def read_by_reader(self) -> ColumnElement[bool]:
        return and_(
            NotificationRead.notification_id == Notification.id,
            NotificationRead.reader_id == self.reader_id,
        )


async def list_page(
    session: AsyncSession, feed: Feed, *, unread_only: bool, limit: int, offset: int
) -> tuple[Sequence[tuple[Notification, bool]], int]:
    """One page, newest first, each with whether it was read, and how many there are."""
    unread = NotificationRead.reader_id.is_(None)
    conditions = [feed.shown(), unread if unread_only else true()]
    total = await session.scalar(
        select(func.count())
        .select_from(Notification)
        .outerjoin(NotificationRead, feed.read_by_reader())
        .where(*conditions)
    )
    rows = await session.execute(
        select(Notification, ~unread)
        .outerjoin(NotificationRead, feed.read_by_reader())
        .where(*conditions)
        .order_by(Notification.created_at.desc(), Notification.id)
        .limit(limit)
        .offset(offset)
    )
    return [(row[0], row[1]) for row in rows], total or 0


async def unread(session: AsyncSession, feed: Feed) -> int:
    """How many the reader has not read."""
    counted: int | None = await session.scalar(
        select(func.count())
        .select_from(Notification)
        .outerjoin(NotificationRead, feed.read_by_reader())
        .where(feed.shown(), NotificationRead.reader_id.is_(None))
    )
    return counted or 0


async def added_after(
    session: AsyncSession, feed: Feed, position: int, limit: int
) -> Sequence[tuple[Notification, bool]]:
    """The feed's next notifications in the order in which they were added, each with whether it
    was read."""
    rows = await session.execute(
        select(Notification, NotificationRead.reader_id.is_not(None))
        .outerjoin(NotificationRead, feed.read_by_reader())
        .where(feed.shown(), Notification.position > position)
        .order_by(Notification.position)
        .limit(limit)
    )
    return [(row[0], row[1]) for row in rows]


async def newest_position(session: AsyncSession, tenant_id: UUID) -> int:
    """Of the tenant's notifications; 0 without one."""
    newest: int | None = await session.scalar(
        select(func.max(Notification.position)).where(Notification.tenant_id == tenant_id)
    )
    return newest or 0


async def newest_positions(
    session: AsyncSession, tenant_ids: Collection[UUID], after: int
) -> Mapping[UUID, int]:
    """Of those tenants that have notifications after ``after``. Needs a system session."""
    rows = await session.execute(
        select(Notification.tenant_id, func.max(Notification.position).label("newest"))
        .where(Notification.tenant_id.in_(tenant_ids), Notification.position > after)
        .group_by(Notification.tenant_id)
    )
    return {row.tenant_id: row.newest for row in rows}


async def add(session: AsyncSession, notification: Notification) -> bool:
    """Returns whether it is new."""
    added = await session.scalar(
        insert(Notification)
        .values(
            {
                Notification.id: notification.id,
                Notification.tenant_id: notification.tenant_id,
                Notification.event_category: notification.event_category,
                Notification.title: notification.title,
                Notification.message: notification.message,
                Notification.details: notification.details,
                Notification.created_at: notification.created_at,
                Notification.is_shown: notification.is_shown,
                Notification.is_test: notification.is_test,
            }
        )
        .on_conflict_do_nothing()
        .returning(Notification.id)
    )
    return added is not None


async def mark_read(session: AsyncSession, feed: Feed, only: UUID | None = None) -> None:
    """Mark the feed's notifications as read, or one of them."""
    chosen = select(Notification.id, literal(feed.reader_id), Notification.tenant_id).where(
        Notification.tenant_id == feed.tenant_id
    )
    if only is not None:
        chosen = chosen.where(Notification.id == only)
    await session.execute(
        insert(NotificationRead)
        .from_select(["notification_id", "reader_id", "tenant_id"], chosen)
        .on_conflict_do_nothing()
    )


async def clear_read(session: AsyncSession, feed: Feed) -> None:
    """Drop what the reader has read from the reader's feed."""
    await session.execute(
        update(NotificationRead)
        .where(
            NotificationRead.tenant_id == feed.tenant_id,
            NotificationRead.reader_id == feed.reader_id,
        )
        .values(is_cleared=True)
    )


async def remove(session: AsyncSession, tenant_id: UUID, notification_id: UUID) -> None:
    """Delete it, with its deliveries, for every reader of the tenant."""
    await session.execute(
        delete(Notification).where(
            Notification.tenant_id == tenant_id, Notification.id == notification_id
        )
    )


async def delete_older(session: AsyncSession, than: datetime, most: int) -> int:
    """Delete up to ``most`` notifications of any tenant; returns how many. For jobs."""
    oldest = (
        select(Notification.id)
        .where(Notification.created_at < than)
        .order_by(Notification.created_at)
        .limit(most)
    )
    deleted = await session.scalars(
        delete(Notification).where(Notification.id.in_(oldest)).returning(Notification.id)
    )
    return len(deleted.all())
