"""Summaries of a day's and a month's calls."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from sqlalchemy import update

from contracts.end_reasons import EndReason
from control_plane.calling.calls.events.consumer import EventConsumer
from control_plane.calling.calls.models import Call
from control_plane.notifying.notifications.signals.summaries import (
    Figures,
    Period,
    periods_due,
    summary_of,
)
from control_plane.notifying.notifications.signals.summary_telling import tell_summaries
from control_plane.platform.database import Database
from tests.control_plane.conftest import TenantClient
from tests.control_plane.fake_worker import FakeWorker
from tests.control_plane.notifying.notifications.facts import read_facts
from tests.control_plane.notifying.notifications.signals.test_call_watcher import one_call

BERLIN, LOS_ANGELES = ZoneInfo("Europe/Berlin"), ZoneInfo("America/Los_Angeles")
DAILY, MONTHLY = "call.daily_summary", "call.monthly_summary"


@pytest.mark.parametrize(
    ("now", "zone", "due"),
    [
        ("2026-05-12T05:59:00Z", BERLIN, []),
        ("2026-05-12T06:00:00Z", BERLIN, [(DAILY, "2026-05-11")]),
        ("2026-05-12T06:00:00Z", LOS_ANGELES, [(DAILY, "2026-05-10")]),
        ("2026-05-01T09:00:00Z", BERLIN, [(DAILY, "2026-04-30"), (MONTHLY, "2026-04-01")]),
        ("2026-01-07T09:00:00Z", BERLIN, [(DAILY, "2026-01-06"), (MONTHLY, "2025-12-01")]),
        ("2026-05-08T09:00:00Z", BERLIN, [(DAILY, "2026-05-07")]),
    ],
)
def test_yesterday_is_told_from_eight_and_the_month_in_its_first_week(
    now: str, zone: ZoneInfo, due: list[tuple[str, str]]
) -> None:
    found = periods_due(datetime.fromisoformat(now), zone)
    assert [(period.category, period.first.isoformat()) for period in found] == due


def test_a_day_has_the_hours_that_its_clocks_show() -> None:
    begins, ends = Period(DAILY, date(2026, 3, 29), date(2026, 3, 30)).times_in(BERLIN)
    assert ends.astimezone(UTC) - begins.astimezone(UTC) == timedelta(hours=23)


def test_a_summary_says_what_the_calls_came_to() -> None:
    period = Period(MONTHLY, date(2026, 4, 1), date(2026, 5, 1))
    title, message, metadata = summary_of(period, Figures(12, 9, 1_530_000, 1_234_567))
    assert title == "Your calls of April 2026"
    assert message == "12 calls, 9 of them completed; 25.5 minutes for $1.23."
    assert metadata == {
        "from": "2026-04-01",
        "to": "2026-04-30",
        "calls": 12,
        "completed": 9,
        "minutes": 25.5,
        "cost_usd": 1.234567,
    }


async def test_each_day_and_month_is_told_once_in_the_tenants_own_time_zone(
    tenant: TenantClient,
    other_tenant: TenantClient,
    worker: FakeWorker,
    consumer: EventConsumer,
    database: Database,
) -> None:
    zone = await tenant.request(
        "PUT", "/v1/notifications/settings", json={"time_zone": "Europe/Berlin"}
    )
    assert zone.status_code == 200, zone.text
    agent_id = await tenant.published_agent()
    for reason in (EndReason.PARTICIPANT_DISCONNECTED, EndReason.SESSION_ERROR):
        await one_call(tenant, worker, consumer, database, agent_id, reason)
    # 23:30 UTC on 30 April is 1 May in Berlin.
    async with database.system_session() as session:
        await session.execute(
            update(Call)
            .where(Call.tenant_id == tenant.tenant_id)
            .values(created_at=datetime(2026, 4, 30, 23, 30, tzinfo=UTC))
        )

    async def told_at(moment: str) -> list[tuple[str, str, int]]:
        await tell_summaries(database, datetime.fromisoformat(moment))
        await read_facts(database)
        feed = (await tenant.get("/v1/notifications?limit=200")).json()["data"]
        return [
            (each["event_category"], each["metadata"]["from"], each["metadata"]["calls"])
            for each in reversed(feed)
            if each["event_category"] in (DAILY, MONTHLY)
        ]

    assert await told_at("2026-05-01T10:00:00Z") == []
    assert await told_at("2026-05-02T10:00:00Z") == [(DAILY, "2026-05-01", 2)]
    assert await told_at("2026-05-02T11:00:00Z") == [(DAILY, "2026-05-01", 2)]
    assert await told_at("2026-06-01T10:00:00Z") == [
        (DAILY, "2026-05-01", 2),
        (MONTHLY, "2026-05-01", 2),
    ]
    others = (await other_tenant.get("/v1/notifications?limit=200")).json()["data"]
    assert not {DAILY, MONTHLY} & {each["event_category"] for each in others}


@pytest.mark.parametrize("zone", ["Mars/Olympus", "", 3, None])
async def test_a_time_zone_that_does_not_exist_is_400(tenant: TenantClient, zone: object) -> None:
    answer = await tenant.request("PUT", "/v1/notifications/settings", json={"time_zone": zone})
    assert answer.status_code == 400
    assert (await tenant.get("/v1/notifications/settings")).json() == {"time_zone": "UTC"}
