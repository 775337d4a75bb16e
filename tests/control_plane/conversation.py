"""Steps that many tests of calls begin with."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from contracts.call_plan import CallPlan
from control_plane.calling.calls.events.consumer import EventConsumer
from link.stream_entry import StreamEntry
from tests.control_plane.conftest import TenantClient
from tests.control_plane.fake_worker import FakeWorker

CALLER = {"transport": "webrtc", "identity": "ada"}


async def create_call(tenant: TenantClient, agent_id: UUID, **fields: Any) -> dict[str, Any]:
    answer = await tenant.post(
        "/v1/calls", {"agent_id": str(agent_id), "participants": [CALLER]} | fields
    )
    assert answer.status_code == 201, answer.text
    created: dict[str, Any] = answer.json()
    return created


async def claimed_call(tenant: TenantClient, worker: FakeWorker, **fields: Any) -> CallPlan:
    """A call that ``worker`` has claimed; its room is open."""
    await create_call(tenant, await tenant.published_agent(), **fields)
    plan = await worker.claim()
    assert plan is not None
    return plan


async def running_call(
    tenant: TenantClient, worker: FakeWorker, consumer: EventConsumer
) -> CallPlan:
    """A call that is in progress."""
    plan = await claimed_call(tenant, worker)
    await worker.start(plan)
    await catch_up(consumer)
    return plan


async def catch_up(consumer: EventConsumer) -> None:
    """Consume what is in the event stream."""
    await consumer.consume(await read_all(consumer))


async def read_all(consumer: EventConsumer) -> list[StreamEntry]:
    return await consumer.stream.read_new()


async def call_of(tenant: TenantClient, plan: CallPlan) -> dict[str, Any]:
    answer = await tenant.get(f"/v1/calls/{plan.call_id}")
    assert answer.status_code == 200, answer.text
    shown: dict[str, Any] = answer.json()
    return shown


async def balance_of(tenant: TenantClient) -> dict[str, Any]:
    answer = await tenant.get("/v1/billing/balance")
    assert answer.status_code == 200, answer.text
    shown: dict[str, Any] = answer.json()
    return shown
