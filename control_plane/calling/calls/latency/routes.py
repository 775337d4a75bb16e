"""``/v1/calls/daily-latencies``: how fast agents answer."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated
from zoneinfo import ZoneInfo

from fastapi import APIRouter, Query

from control_plane.calling.calls.calendar_days import CalendarDay, last_days
from control_plane.calling.calls.latency.schemas import DailyLatencies, DayLatencyView
from control_plane.calling.calls.queries.daily_latencies import Latencies, daily_latencies
from control_plane.calling.dialing.schedule import TimeZoneName
from control_plane.identity.authentication.dependencies import MemberCaller, TenantSession
from control_plane.identity.authentication.refusals import MEMBER_ONLY
from control_plane.platform.http.openapi import problems

router = APIRouter(prefix="/v1/calls", tags=["calls"])
_NO_TURNS = Latencies(turns=0, p50_ms=None, p95_ms=None)


@router.get("/daily-latencies", responses=problems(*MEMBER_ONLY))
async def list_daily_latencies(
    caller: MemberCaller,
    session: TenantSession,
    days: Annotated[int, Query(ge=1, le=31)] = 14,
    time_zone: Annotated[
        TimeZoneName, Query(description="Where the days begin at midnight.")
    ] = "UTC",
) -> DailyLatencies:
    """How fast your agents answered on each of the last days. Of each day, the newest 300 calls
    count."""
    wanted = last_days(datetime.now(UTC), days, ZoneInfo(time_zone))
    found = await daily_latencies(session, caller.tenant_id, wanted)
    return DailyLatencies(
        time_zone=time_zone,
        days=[_view(day, found.get(day.starts_at, _NO_TURNS)) for day in wanted],
    )


def _view(day: CalendarDay, latencies: Latencies) -> DayLatencyView:
    return DayLatencyView(date=day.date, **latencies._asdict())
