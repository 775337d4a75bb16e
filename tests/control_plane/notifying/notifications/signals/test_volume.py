"""Hours with many more calls than usual."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import pytest

from control_plane.notifying.notifications.fact_consumer import NotificationWriter
from control_plane.notifying.notifications.signals import volume_repository
from control_plane.notifying.notifications.signals.volume import is_spike, usual_calls
from control_plane.notifying.notifications.signals.volume_watcher import VolumeWatcher
from control_plane.platform.database import Database
from control_plane.platform.outbox.models import OutboxEvent
from control_plane.platform.outbox.reader import OutboxReader
from tests.control_plane.conftest import TenantClient

NOON = datetime(2026, 5, 29, 12, tzinfo=UTC)
DAY = timedelta(days=1)


def test_an_hour_is_compared_with_the_same_hour_of_earlier_days() -> None:
    calls = {NOON - DAY * day: 10 for day in range(1, 29)}
    calls |= {NOON - DAY * day + timedelta(hours=1): 900 for day in range(1, 29)}
    assert usual_calls(NOON, calls) == pytest.approx(10)


def test_days_without_calls_count_as_well() -> None:
    assert usual_calls(NOON, {NOON - DAY * 14: 28}) == pytest.approx(2)


def test_a_tenant_of_a_few_days_is_not_used_to_anything() -> None:
    assert usual_calls(NOON, {NOON - DAY * 6: 100}) is None
    assert usual_calls(NOON, {}) is None
    assert not is_spike(1000, None)


@pytest.mark.parametrize(
    ("calls", "usual", "spikes"),
    [(31, 10.0, True), (30, 10.0, False), (19, 0.0, False), (20, 0.0, True)],
)
def test_more_than_three_times_as_many_and_at_least_twenty(
    calls: int, usual: float, spikes: bool
) -> None:
    assert is_spike(calls, usual) == spikes


async def begin(database: Database, tenant_id: UUID, calls: int) -> None:
    async with database.system_session() as session:
        for _ in range(calls):
            data = {"call_id": str(uuid4()), "channel": "phone"}
            for extra in ({}, {"participant_id": str(uuid4())}):
                session.add(
                    OutboxEvent(tenant_id=tenant_id, event="call.started", data=data | extra)
                )


async def test_a_spike_is_told_once_a_day(tenant: TenantClient, database: Database) -> None:
    now = datetime.now(UTC).replace(minute=0, second=0, microsecond=0)
    async with database.system_session() as session:
        for hours in range(8 * 24, 24 * 10):
            await volume_repository.add_calls(
                session, tenant.tenant_id, now - timedelta(hours=hours), 1
            )
    reader = OutboxReader(database, [VolumeWatcher(), NotificationWriter(["in_app"])])

    async def spikes() -> list[dict[str, object]]:
        while await reader.read():
            pass
        feed = (await tenant.get("/v1/notifications?limit=200")).json()["data"]
        return [each for each in feed if each["event_category"] == "call.volume_spike"]

    await begin(database, tenant.tenant_id, 19)
    assert await spikes() == []
    for _ in range(2):
        await begin(database, tenant.tenant_id, 20)
        [told] = await spikes()
    assert isinstance(told["metadata"], dict)
    assert told["metadata"]["calls"] >= 20
