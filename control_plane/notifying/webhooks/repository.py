"""The queries on webhooks themselves. All take the tenant; none commits."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy import delete, func, select, text
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.notifying.webhooks.models import Webhook
from control_plane.platform.page_repository import page_of


async def find(
    session: AsyncSession, tenant_id: UUID, webhook_id: UUID, *, to_change: bool = False
) -> Webhook | None:
    query = select(Webhook).where(Webhook.tenant_id == tenant_id, Webhook.id == webhook_id)
    found: Webhook | None = await session.scalar(query.with_for_update() if to_change else query)
    return found


async def count(session: AsyncSession, tenant_id: UUID) -> int:
    """How many the tenant has, until the transaction ends: others that count wait for it."""
    await session.execute(
        text("SELECT pg_advisory_xact_lock(hashtextextended(:tenant, 91))"),
        {"tenant": str(tenant_id)},
    )
    counted = select(func.count()).select_from(Webhook).where(Webhook.tenant_id == tenant_id)
    return await session.scalar(counted) or 0


async def list_webhooks(
    session: AsyncSession, tenant_id: UUID, *, limit: int, offset: int
) -> tuple[Sequence[Webhook], int]:
    """One page, newest first, and how many there are."""
    query = (
        select(Webhook)
        .where(Webhook.tenant_id == tenant_id)
        .order_by(Webhook.created_at.desc(), Webhook.id)
    )
    return await page_of(session, query, limit=limit, offset=offset)


async def remove(session: AsyncSession, tenant_id: UUID, webhook_id: UUID) -> bool:
    """With its deliveries; returns whether there was one."""
    removed = await session.scalar(
        delete(Webhook)
        .where(Webhook.tenant_id == tenant_id, Webhook.id == webhook_id)
        .returning(Webhook.id)
    )
    return removed is not None
