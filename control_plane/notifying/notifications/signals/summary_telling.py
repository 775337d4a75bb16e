"""Tells each tenant what its calls came to, once for each day and month."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from uuid import UUID
from zoneinfo import ZoneInfo

from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.notifying.notifications.occasion_repository import is_due
from control_plane.notifying.notifications.signals import summary_repository as repository
from control_plane.notifying.notifications.signals.summaries import (
    Figures,
    Period,
    periods_due,
    summary_of,
)
from control_plane.platform.database import Database
from control_plane.platform.outbox.events import add_notification_event

_TENANTS_TOGETHER = 500


async def tell_summaries(database: Database, now: datetime) -> int:
    """Tell what is due at ``now``; returns how many summaries. A period without calls is not
    told."""
    summaries, after = 0, None
    while True:
        async with database.system_session() as session:
            tenants = await repository.tenants_after(session, after, _TENANTS_TOGETHER)
            told = await repository.told(session, [tenant_id for tenant_id, _ in tenants])
        for tenant_id, time_zone in tenants:
            zone = ZoneInfo(time_zone)
            for period in periods_due(now, zone):
                if (tenant_id, period.category, period.first.isoformat()) not in told:
                    summaries += await _tell(database, tenant_id, period, zone, now)
        if len(tenants) < _TENANTS_TOGETHER:
            return summaries
        after = tenants[-1][0]


async def _tell(
    database: Database, tenant_id: UUID, period: Period, zone: ZoneInfo, now: datetime
) -> bool:
    figures = Figures(0, 0, 0, 0)
    for begins, ends in _days(period, zone):
        async with database.system_session() as session:
            day = await repository.figures(session, tenant_id, begins, ends)
        figures = _sum(figures, day)
    async with database.system_session() as session:
        return await _add(session, tenant_id, period, figures, now)


async def _add(
    session: AsyncSession, tenant_id: UUID, period: Period, figures: Figures, now: datetime
) -> bool:
    occasion = period.first.isoformat()
    if not await is_due(session, tenant_id, period.category, occasion, now) or not figures.calls:
        return False
    title, message, metadata = summary_of(period, figures)
    add_notification_event(
        session, tenant_id, period.category, title=title, message=message, metadata=metadata
    )
    return True


def _days(period: Period, zone: ZoneInfo) -> Iterator[tuple[datetime, datetime]]:
    day = period.first
    while day < period.end:
        following = day + timedelta(days=1)
        yield Period(period.category, day, following).times_in(zone)
        day = following


def _sum(one: Figures, other: Figures) -> Figures:
    return Figures(
        one.calls + other.calls,
        one.completed + other.completed,
        one.connected_ms + other.connected_ms,
        one.cost_micros + other.cost_micros,
    )
