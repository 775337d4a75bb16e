"""How fast agents answered, day by day.

Of each day only the newest calls count, which an index finds, so a busy tenant's days cost no more
than others. Two weeks are at most 4,200 calls, each with one look into its month's partition.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import cache
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import (
    ARRAY,
    DateTime,
    Double,
    Integer,
    Select,
    bindparam,
    cast,
    func,
    literal,
    select,
    true,
)
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.calling.calls.calendar_days import CalendarDay
from control_plane.calling.calls.models import Call, TurnLatencies

CALLS_OF_A_DAY = 300


class Latencies(NamedTuple):
    turns: int
    """With a known latency."""
    p50_ms: int | None
    p95_ms: int | None


async def daily_latencies(
    session: AsyncSession, tenant_id: UUID, days: Sequence[CalendarDay]
) -> dict[datetime, Latencies]:
    """Of the agent's turns, by the beginning of the day on which the call was created. Days without
    turns are left out."""
    bound = {
        "tenant_id": tenant_id,
        "starts": [day.starts_at for day in days],
        "ends": [day.ends_at for day in days],
        "calls_of_a_day": CALLS_OF_A_DAY,
    }
    rows = await session.execute(_select(), bound)
    return {starts_at: Latencies(turns, *percentiles) for starts_at, turns, percentiles in rows}


@cache
def _select() -> Select[datetime, int, list[int]]:
    times = ARRAY(DateTime(timezone=True))
    days = (
        func.unnest(bindparam("starts", type_=times), bindparam("ends", type_=times))
        .table_valued("starts_at", "ends_at", name="days")
        .render_derived()
    )
    calls = (
        select(Call.id)
        .where(
            Call.tenant_id == bindparam("tenant_id"),
            Call.created_at >= days.c.starts_at,
            Call.created_at < days.c.ends_at,
        )
        .order_by(Call.created_at.desc(), Call.id.desc())
        .limit(bindparam("calls_of_a_day"))
        .correlate(days)
        .lateral("newest")
    )
    latency = TurnLatencies.end_to_end_ms
    percentiles = func.percentile_disc(literal([0.5, 0.95], ARRAY(Double))).within_group(latency)
    return (
        select(days.c.starts_at, cast(func.count(), Integer), percentiles)
        .select_from(days)
        .join(calls, true())
        .join(TurnLatencies, TurnLatencies.call_id == calls.c.id)
        .where(TurnLatencies.tenant_id == bindparam("tenant_id"), latency.is_not(None))
        .group_by(days.c.starts_at)
    )
