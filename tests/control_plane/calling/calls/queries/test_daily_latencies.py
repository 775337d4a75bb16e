"""``GET /v1/calls/daily-latencies``, over PostgreSQL."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from sqlalchemy import update

from contracts.events import TranscriptSegment, TurnMeasured
from control_plane.calling.calls.events.consumer import EventConsumer
from control_plane.calling.calls.models import Call
from control_plane.calling.calls.queries import daily_latencies
from control_plane.platform.database import Database
from tests.control_plane.conftest import TenantClient
from tests.control_plane.conversation import catch_up, running_call
from tests.control_plane.fake_worker import FakeWorker

URL = "/v1/calls/daily-latencies"


async def call_with(
    tenant: TenantClient, worker: FakeWorker, consumer: EventConsumer, *latencies_ms: int | None
) -> UUID:
    plan = await running_call(tenant, worker, consumer)
    for sequence, latency_ms in enumerate(latencies_ms):
        said = TranscriptSegment(
            sequence=sequence, speaker="agent", text="Hello", started_at_ms=0, ended_at_ms=900
        )
        await worker.ship(plan, said, TurnMeasured(sequence=sequence, end_to_end_ms=latency_ms))
    await worker.end(plan, 20_000)
    await catch_up(consumer)
    return plan.call_id


async def created(database: Database, call_id: UUID, days_ago: int) -> None:
    at = datetime.now(UTC) - timedelta(days=days_ago)
    async with database.system_session() as session:
        await session.execute(update(Call).where(Call.id == call_id).values(created_at=at))


async def test_each_day_has_the_percentiles_of_its_turns(
    tenant: TenantClient, worker: FakeWorker, consumer: EventConsumer, database: Database
) -> None:
    await call_with(tenant, worker, consumer, None, 800, 900)
    await call_with(tenant, worker, consumer, 2_000)
    await created(database, await call_with(tenant, worker, consumer, 500), days_ago=2)
    await created(database, await call_with(tenant, worker, consumer, 5_000), days_ago=3)
    answer = (await tenant.get(URL, params={"days": 3})).json()
    assert answer["time_zone"] == "UTC"
    today = datetime.now(UTC).date()
    assert answer["days"] == [
        {"date": str(today - timedelta(days=2)), "turns": 1, "p50_ms": 500, "p95_ms": 500},
        {"date": str(today - timedelta(days=1)), "turns": 0, "p50_ms": None, "p95_ms": None},
        {"date": str(today), "turns": 3, "p50_ms": 900, "p95_ms": 2_000},
    ]


async def test_of_each_day_only_the_newest_calls_count(
    tenant: TenantClient,
    worker: FakeWorker,
    consumer: EventConsumer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(daily_latencies, "CALLS_OF_A_DAY", 1)
    await call_with(tenant, worker, consumer, 700)
    await call_with(tenant, worker, consumer, 900)
    [today] = (await tenant.get(URL, params={"days": 1})).json()["days"]
    assert (today["turns"], today["p50_ms"]) == (1, 900)


async def test_another_tenants_turns_do_not_count(
    tenant: TenantClient,
    other_tenant: TenantClient,
    worker: FakeWorker,
    consumer: EventConsumer,
) -> None:
    await call_with(tenant, worker, consumer, 700)
    [today] = (await other_tenant.get(URL, params={"days": 1})).json()["days"]
    assert today["turns"] == 0


@pytest.mark.parametrize(
    "query", [{"days": 0}, {"days": 32}, {"time_zone": "Nowhere"}, {"time_zone": "../etc"}]
)
async def test_what_is_no_period_is_refused(tenant: TenantClient, query: dict[str, object]) -> None:
    answer = await tenant.get(URL, params=query)
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (400, next(iter(query)))
