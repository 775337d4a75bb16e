"""Every query on a tenant's settings of notifications."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.notifying.notifications.models import NotificationSettings


async def of_tenant(session: AsyncSession, tenant_id: UUID) -> NotificationSettings:
    """With the defaults where the tenant has set nothing. Not to be changed."""
    found = await session.get(NotificationSettings, tenant_id)
    return found or NotificationSettings(tenant_id=tenant_id, time_zone="UTC")


async def set_time_zone(session: AsyncSession, tenant_id: UUID, time_zone: str) -> None:
    await _set(session, tenant_id, {"time_zone": time_zone})


async def note_top_up(session: AsyncSession, tenant_id: UUID, amount_micros: int) -> None:
    await _set(session, tenant_id, {"last_top_up_micros": amount_micros})


async def _set(session: AsyncSession, tenant_id: UUID, values: dict[str, Any]) -> None:
    await session.execute(
        insert(NotificationSettings)
        .values({"tenant_id": tenant_id} | values)
        .on_conflict_do_update(index_elements=["tenant_id"], set_=values)
    )
