"""Pausing one agent."""

from __future__ import annotations

from uuid import UUID, uuid4

import httpx2
import pytest
from redis.asyncio import Redis
from sqlalchemy import text

from contracts import redis_names
from contracts.commands import EndCall
from contracts.end_reasons import EndReason
from control_plane.calling.calls.events.consumer import EventConsumer
from control_plane.platform.database import Database
from tests.control_plane.conftest import TenantClient
from tests.control_plane.conversation import CALLER, create_call, running_call
from tests.control_plane.fake_worker import FakeWorker
from tests.control_plane.operator.conftest import OperatorClient, audit_log_of

REASON = "Complaints about unwanted calls"


def path(agent_id: object) -> str:
    return f"/agents/{agent_id}/pause"


async def call(tenant: TenantClient, agent_id: UUID) -> httpx2.Response:
    return await tenant.post("/v1/calls", {"agent_id": str(agent_id), "participants": [CALLER]})


async def test_a_paused_agent_takes_no_calls_until_it_is_resumed(
    operator: OperatorClient, tenant: TenantClient
) -> None:
    agent_id = await tenant.published_agent()
    paused = await operator.ok("POST", path(agent_id), {"reason": REASON})
    assert (paused["agent_id"], paused["tenant_id"]) == (str(agent_id), str(tenant.tenant_id))
    assert (paused["reason"], paused["ending_calls"]) == (REASON, 0)

    refused = await call(tenant, agent_id)
    assert refused.status_code == 423
    problem = refused.json()
    assert (problem["code"], problem["reason"]) == ("agent_admin_paused", REASON)
    assert REASON in problem["detail"]
    assert (await call(tenant, await tenant.published_agent())).status_code == 201

    assert (await operator.request("DELETE", path(agent_id))).status_code == 204
    assert (await call(tenant, agent_id)).status_code == 201
    assert [entry["action"] for entry in await audit_log_of(tenant)] == [
        "agent.admin_resumed",
        "agent.admin_paused",
        "tenant.created",
    ]


async def test_pausing_again_replaces_the_reason_and_resuming_again_changes_nothing(
    operator: OperatorClient, tenant: TenantClient
) -> None:
    agent_id = await tenant.agent()
    first = await operator.ok("POST", path(agent_id), {"reason": "First"})
    second = await operator.ok("POST", path(agent_id), {"reason": "Second"})
    assert second == first | {"reason": "Second"}
    for _ in range(2):
        assert (await operator.request("DELETE", path(agent_id))).status_code == 204
    resumed = [e for e in await audit_log_of(tenant) if e["action"] == "agent.admin_resumed"]
    assert len(resumed) == 1


async def test_paused_agents_are_listed(
    operator: OperatorClient, tenant: TenantClient, other_tenant: TenantClient
) -> None:
    agents = [await tenant.agent(name="One"), await other_tenant.agent(name="Two")]
    await tenant.agent(name="Not paused")
    for agent_id in agents:
        await operator.ok("POST", path(agent_id), {"reason": REASON})
    page = await operator.ok("GET", "/paused-agents?limit=1")
    assert page["total"] == 2
    assert [found["agent_name"] for found in page["paused_agents"]] == ["Two"]
    page = await operator.ok("GET", "/paused-agents?offset=1")
    assert [found["agent_name"] for found in page["paused_agents"]] == ["One"]


async def test_running_calls_go_on_unless_they_are_to_end(
    operator: OperatorClient,
    tenant: TenantClient,
    worker: FakeWorker,
    consumer: EventConsumer,
) -> None:
    plan = await running_call(tenant, worker, consumer)
    await operator.ok("POST", path(plan.agent_id), {"reason": REASON})
    assert await worker.commands() == []

    wanted = {"reason": REASON, "end_running_calls": True}
    assert (await operator.ok("POST", path(plan.agent_id), wanted))["ending_calls"] == 1
    [command] = await worker.commands()
    assert command.call_id == plan.call_id
    assert command.body == EndCall(end_reason=EndReason.NORMAL_HANGUP)
    # They are told once.
    assert (await operator.ok("POST", path(plan.agent_id), wanted))["ending_calls"] == 0


async def test_only_the_agents_own_calls_end(
    operator: OperatorClient,
    tenant: TenantClient,
    worker: FakeWorker,
    consumer: EventConsumer,
    database: Database,
) -> None:
    plan = await running_call(tenant, worker, consumer)
    other_agent = await tenant.published_agent()
    waiting = await create_call(tenant, other_agent)
    wanted = {"reason": REASON, "end_running_calls": True}
    assert (await operator.ok("POST", path(other_agent), wanted))["ending_calls"] == 1
    async with database.system_session() as session:
        marked = await session.scalars(
            text("SELECT id FROM calls WHERE end_requested_at IS NOT NULL")
        )
        assert [str(call_id) for call_id in marked] == [waiting["id"]]
    assert plan.call_id != UUID(waiting["id"])


async def test_without_redis_the_wish_is_kept_for_the_reaper(
    operator: OperatorClient,
    tenant: TenantClient,
    worker: FakeWorker,
    consumer: EventConsumer,
    redis: Redis,
    database: Database,
) -> None:
    plan = await running_call(tenant, worker, consumer)
    # What a lease is must be a string; reading it fails now.
    await redis.delete(redis_names.call_lease(plan.call_id))
    await redis.lpush(redis_names.call_lease(plan.call_id), "broken")
    wanted = {"reason": REASON, "end_running_calls": True}
    assert (await operator.ok("POST", path(plan.agent_id), wanted))["ending_calls"] == 1
    async with database.system_session() as session:
        reason = await session.scalar(text("SELECT end_requested_reason FROM calls"))
    assert reason == "normal_hangup"


async def test_an_unknown_or_deleted_agent_is_404(
    operator: OperatorClient, tenant: TenantClient, database: Database
) -> None:
    deleted = await tenant.agent()
    await operator.ok("POST", path(deleted), {"reason": REASON})
    async with database.system_session() as session:
        await session.execute(
            text("UPDATE agents SET deleted_at = now() WHERE id = :id"), {"id": deleted}
        )
    for agent_id in (uuid4(), deleted):
        refused = await operator.refused("POST", path(agent_id), {"reason": REASON})
        assert refused == (404, "agent_not_found")
        assert await operator.refused("DELETE", path(agent_id)) == (404, "agent_not_found")
    assert (await operator.ok("GET", "/paused-agents"))["total"] == 0


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "reason"),
        ({"reason": " "}, "reason"),
        ({"reason": "x" * 501}, "reason"),
        ({"reason": "x", "end_running_calls": "some"}, "end_running_calls"),
    ],
)
async def test_a_wrong_pause_is_400(
    operator: OperatorClient, tenant: TenantClient, body: dict[str, object], field: str
) -> None:
    answer = await operator.request("POST", path(await tenant.agent()), body)
    assert answer.status_code == 400, answer.text
    assert answer.json()["errors"][0]["field"] == field


async def test_a_tenant_cannot_lift_the_pause(
    operator: OperatorClient, tenant: TenantClient, database: Database
) -> None:
    agent_id = await tenant.agent()
    await operator.ok("POST", path(agent_id), {"reason": REASON})
    answer = await tenant.request("DELETE", f"/v1/operator{path(agent_id)}")
    assert (answer.status_code, answer.json()["code"]) == (401, "unauthorized")
    assert (await operator.ok("GET", "/paused-agents"))["total"] == 1
