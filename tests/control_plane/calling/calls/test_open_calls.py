"""Loops of one moment share an answer, and no loop overlooks a call for longer than that."""

from __future__ import annotations

from control_plane.calling.calls.open_calls import (
    BUSY_SECONDS,
    SAME_MOMENT_SECONDS,
    OpenCalls,
)
from control_plane.platform.database import Database
from tests.control_plane.conftest import TenantClient


async def create_call(tenant: TenantClient) -> str:
    """Returns its id."""
    agent_id = await tenant.published_agent()
    participant = {"transport": "webrtc", "identity": "caller"}
    body = {"agent_id": str(agent_id), "participants": [participant]}
    created = await tenant.post("/v1/calls", body)
    assert created.status_code == 201
    return str(created.json()["id"])


async def test_a_call_is_seen_at_the_next_moment(tenant: TenantClient, database: Database) -> None:
    now = 0.0
    open_calls = OpenCalls(database, lambda: now)
    assert not await open_calls.may_be_there()
    await create_call(tenant)
    assert not await open_calls.may_be_there(), "loops that look at once share the answer"
    now += SAME_MOMENT_SECONDS
    assert await open_calls.may_be_there()


async def test_while_calls_are_open_it_is_not_asked_again(
    tenant: TenantClient, database: Database
) -> None:
    now = 0.0
    open_calls = OpenCalls(database, lambda: now)
    call_id = await create_call(tenant)
    assert await open_calls.may_be_there()
    assert (await tenant.post(f"/v1/calls/{call_id}/end", {})).status_code < 300
    now += BUSY_SECONDS - 1
    assert await open_calls.may_be_there()
