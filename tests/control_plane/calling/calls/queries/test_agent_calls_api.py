"""``GET /v1/agents/{agent_id}/calls``."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID

import pytest
from sqlalchemy import update

from contracts.call_status import TERMINAL_STATUSES, CallStatus
from control_plane.calling.calls.models import Call
from control_plane.platform.database import Database
from tests.control_plane.conftest import TenantClient


async def call(tenant: TenantClient, agent_id: UUID) -> str:
    answer = await tenant.post(
        "/v1/calls",
        {
            "agent_id": str(agent_id),
            "participants": [{"transport": "webrtc", "identity": "Ann"}],
        },
    )
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


async def test_an_agents_calls_newest_first_with_the_specifications_fields(
    tenant: TenantClient,
) -> None:
    agent_id, other = await tenant.published_agent(), await tenant.published_agent()
    calls = [await call(tenant, agent_id) for _ in range(3)]
    await call(tenant, other)

    page = (await tenant.get(f"/v1/agents/{agent_id}/calls?limit=2")).json()
    rest = (await tenant.get(f"/v1/agents/{agent_id}/calls?limit=2&offset=2")).json()

    assert [row["id"] for row in page["calls"] + rest["calls"]] == calls[::-1]
    assert {name: page[name] for name in page if name != "calls"} == {
        "total": 3,
        "offset": 0,
        "limit": 2,
        "agent_id": str(agent_id),
    }
    assert page["calls"][0] == {
        "id": calls[2],
        "agent_id": str(agent_id),
        "status": "connecting",
        "started_at": None,
        "ended_at": None,
        "bill_duration": None,
        "total_cost": None,
    }


async def test_a_cursor_starts_behind_a_call(
    tenant: TenantClient, other_tenant: TenantClient
) -> None:
    agent_id = await tenant.published_agent()
    calls = [await call(tenant, agent_id) for _ in range(3)]
    path = f"/v1/agents/{agent_id}/calls"
    page = (await tenant.get(f"{path}?cursor={calls[2]}&limit=1")).json()
    assert [row["id"] for row in page["calls"]] == [calls[1]]
    foreign = await call(other_tenant, await other_tenant.published_agent())
    assert (await tenant.get(f"{path}?cursor={foreign}")).status_code == 400


async def test_calls_are_filtered_by_status(tenant: TenantClient, database: Database) -> None:
    agent_id = await tenant.published_agent()
    failed = await call(tenant, agent_id)
    await call(tenant, agent_id)
    async with database.system_session() as session:
        await session.execute(
            update(Call)
            .where(Call.id == UUID(failed))
            .values(
                status="failed",
                end_reason="worker_error",
                ended_at=datetime.now(UTC),
                connected_ms=0,
            )
        )
    page = (await tenant.get(f"/v1/agents/{agent_id}/calls?status=failed")).json()
    assert ([row["id"] for row in page["calls"]], page["total"]) == ([failed], 1)
    assert (await tenant.get(f"/v1/agents/{agent_id}/calls?status=ringing")).json()["total"] == 0


@pytest.mark.parametrize("status", [status.value for status in CallStatus])
async def test_every_status_that_a_call_can_have_is_a_filter(
    tenant: TenantClient, database: Database, status: str
) -> None:
    agent_id = await tenant.published_agent()
    call_id = await call(tenant, agent_id)
    async with database.system_session() as session:
        ended_at = datetime.now(UTC) if status in TERMINAL_STATUSES else None
        await session.execute(
            update(Call)
            .where(Call.id == UUID(call_id))
            .values(status=status, end_reason=ended_at and "completed", ended_at=ended_at)
        )
    answer = await tenant.get(f"/v1/agents/{agent_id}/calls?status={status}")
    assert answer.status_code == 200, answer.text
    assert [row["id"] for row in answer.json()["calls"]] == [call_id]


@pytest.mark.parametrize("query", ["limit=201", "limit=0", "offset=-1", "status=lost"])
async def test_a_wrong_query_is_400(tenant: TenantClient, query: str) -> None:
    answer = await tenant.get(f"/v1/agents/{await tenant.agent()}/calls?{query}")
    assert answer.status_code == 400
    assert answer.json()["errors"][0]["field"] == query.partition("=")[0]


async def test_a_page_is_50_long_unless_told_and_200_at_most(tenant: TenantClient) -> None:
    path = f"/v1/agents/{await tenant.agent()}/calls"
    assert (await tenant.get(path)).json()["limit"] == 50
    assert (await tenant.get(f"{path}?limit=200")).status_code == 200
