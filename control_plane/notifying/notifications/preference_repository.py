"""Every query on preferences."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.notifying.notifications.models import NotificationPreference
from control_plane.notifying.notifications.preferences import Channel, Choice


async def choices(
    session: AsyncSession, tenant_id: UUID, owner_ids: Collection[UUID]
) -> Mapping[tuple[UUID, str], Choice]:
    """What ``owner_ids`` have chosen, by owner and category. The tenant's own choices are those of
    the owner ``tenant_id``."""
    rows = await session.scalars(
        select(NotificationPreference).where(
            NotificationPreference.tenant_id == tenant_id,
            NotificationPreference.owner_id.in_(owner_ids),
        )
    )
    return {
        (row.owner_id, row.event_category): Choice(row.in_app, row.email, row.sms, row.webhook)
        for row in rows
    }


async def choices_about(
    session: AsyncSession, tenant_id: UUID, category: str
) -> Mapping[UUID, Choice]:
    """What everybody in the tenant has chosen for a category, by owner."""
    rows = await session.scalars(
        select(NotificationPreference).where(
            NotificationPreference.tenant_id == tenant_id,
            NotificationPreference.event_category == category,
        )
    )
    return {row.owner_id: Choice(row.in_app, row.email, row.sms, row.webhook) for row in rows}


async def choose(
    session: AsyncSession,
    tenant_id: UUID,
    owner_id: UUID,
    category: str,
    chosen: Mapping[Channel, bool],
) -> None:
    """Set the channels in ``chosen``; the others stay as they are."""
    added = insert(NotificationPreference).values(
        {"tenant_id": tenant_id, "owner_id": owner_id, "event_category": category} | dict(chosen)
    )
    key = ["tenant_id", "owner_id", "event_category"]
    await session.execute(
        added.on_conflict_do_update(index_elements=key, set_=dict(chosen))
        if chosen
        else added.on_conflict_do_nothing()
    )
