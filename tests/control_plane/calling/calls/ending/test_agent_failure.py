"""``agent.failed`` is in the outbox when, and only when, the agent itself could not go on."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import select

from contracts.end_reasons import EndReason
from control_plane.calling.calls.ending.agent_failure import AGENT_FAILURES
from control_plane.calling.calls.events.consumer import EventConsumer
from control_plane.platform.database import Database
from control_plane.platform.outbox.models import OutboxEvent
from tests.control_plane.conftest import TenantClient
from tests.control_plane.conversation import catch_up, running_call
from tests.control_plane.fake_worker import FakeWorker


async def failures(database: Database, tenant: TenantClient) -> list[dict[str, Any]]:
    async with database.tenant_session(tenant.tenant_id) as session:
        found = await session.scalars(
            select(OutboxEvent.data).where(OutboxEvent.event == "agent.failed")
        )
        return list(found)


@pytest.mark.parametrize("reason", sorted(AGENT_FAILURES))
async def test_a_failed_agent_is_told_once_with_its_call(
    tenant: TenantClient,
    worker: FakeWorker,
    consumer: EventConsumer,
    database: Database,
    reason: EndReason,
) -> None:
    plan = await running_call(tenant, worker, consumer)

    await worker.end(plan, 5_000, reason)
    await worker.ship_journal(plan)
    await catch_up(consumer)

    (told,) = await failures(database, tenant)
    assert told["event_category"] == "agent.failed"
    assert told["tenant_id"] == str(tenant.tenant_id)
    assert told["notification_id"]
    assert "Reception" in told["title"]
    assert told["metadata"] == {
        "agent_id": str(plan.agent_id),
        "call_id": str(plan.call_id),
        "reason": reason.value,
    }


@pytest.mark.parametrize(
    "reason",
    [
        EndReason.PARTICIPANT_DISCONNECTED,
        EndReason.INSUFFICIENT_FUNDS,
        EndReason.ROOM_CONNECTION_FAILED,
        EndReason.SERVER_SHUTDOWN,
    ],
)
async def test_other_ends_are_no_failure_of_the_agent(
    tenant: TenantClient,
    worker: FakeWorker,
    consumer: EventConsumer,
    database: Database,
    reason: EndReason,
) -> None:
    plan = await running_call(tenant, worker, consumer)
    await worker.end(plan, 5_000, reason)
    await catch_up(consumer)
    assert await failures(database, tenant) == []
