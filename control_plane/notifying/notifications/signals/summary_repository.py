"""The queries behind summaries of calls. For jobs: they concern every tenant."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from uuid import UUID

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from contracts.call_status import TERMINAL_STATUSES, CallStatus
from control_plane.calling.calls.models import Call
from control_plane.notifying.notifications.models import (
    NotificationOccasion,
    NotificationSettings,
)
from control_plane.notifying.notifications.signals.summaries import Figures
from control_plane.platform.tenancy.models import Tenant

SUMMARIES = ("call.daily_summary", "call.monthly_summary")


async def tenants_after(
    session: AsyncSession, after: UUID | None, limit: int
) -> Sequence[tuple[UUID, str]]:
    """Tenants in the order of their ids, each with its time zone."""
    query = select(Tenant.id, func.coalesce(NotificationSettings.time_zone, "UTC")).outerjoin(
        NotificationSettings, NotificationSettings.tenant_id == Tenant.id
    )
    if after is not None:
        query = query.where(Tenant.id > after)
    rows = await session.execute(query.order_by(Tenant.id).limit(limit))
    return [(tenant_id, time_zone) for tenant_id, time_zone in rows]


async def told(
    session: AsyncSession, tenant_ids: Collection[UUID]
) -> Collection[tuple[UUID, str, str]]:
    """Tenant, category and occasion of the summaries that were told."""
    rows = await session.execute(
        select(
            NotificationOccasion.tenant_id,
            NotificationOccasion.event_category,
            NotificationOccasion.occasion,
        ).where(
            NotificationOccasion.tenant_id.in_(tenant_ids),
            NotificationOccasion.event_category.in_(SUMMARIES),
        )
    )
    return {(tenant_id, category, occasion) for tenant_id, category, occasion in rows}


async def figures(
    session: AsyncSession, tenant_id: UUID, begins: datetime, ends: datetime
) -> Figures:
    """Of the calls that were created from ``begins`` to before ``ends``. A day at most: a busy
    tenant's month would take longer than a transaction may."""
    row = (
        await session.execute(
            select(
                func.count(),
                func.count().filter(Call.status == CallStatus.COMPLETED.value),
                func.sum(Call.connected_ms),
                func.sum(Call.total_cost_micros),
            ).where(
                Call.tenant_id == tenant_id,
                Call.created_at >= begins,
                Call.created_at < ends,
                Call.status.in_([status.value for status in TERMINAL_STATUSES]),
            )
        )
    ).one()
    return Figures(row[0], row[1], int(row[2] or 0), int(row[3] or 0))
