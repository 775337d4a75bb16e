"""What somebody thought of a call: who may say it, and where it is shown."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

import httpx2
import pytest
from sqlalchemy import select

from control_plane.calling.calls.models import Call
from control_plane.calling.erasure.call_data_repository import forget_caller
from control_plane.platform.database import Database
from tests.control_plane.conftest import TenantClient
from tests.control_plane.conversation import create_call


async def give(
    tenant: TenantClient, call: dict[str, Any], body: Any, headers: dict[str, str] | None = None
) -> httpx2.Response:
    path = f"/v1/calls/{call['id']}/feedback"
    return await tenant.http.put(path, headers=headers or tenant.headers, json=body)


async def shown(tenant: TenantClient, call: dict[str, Any]) -> Any:
    """As the call and the list of calls show it, alike."""
    one = (await tenant.get(f"/v1/calls/{call['id']}")).json()["feedback"]
    (listed,) = (await tenant.get("/v1/calls")).json()["calls"]
    assert listed["feedback"] == one
    return one


async def test_feedback_is_shown_with_the_call_and_replaces_what_was_there(
    tenant: TenantClient,
) -> None:
    call = await create_call(tenant, await tenant.published_agent())
    assert await shown(tenant, call) is None
    first = await give(tenant, call, {"rating": "down", "comment": "  It was slow. "})
    assert first.status_code == 200, first.text
    assert (first.json()["rating"], first.json()["comment"]) == ("down", "It was slow.")
    assert await shown(tenant, call) == first.json()
    second = await give(tenant, call, {"rating": "up"})
    assert (second.json()["rating"], second.json()["comment"]) == ("up", None)
    assert await shown(tenant, call) == second.json()


async def test_a_publishable_key_rates_the_calls_that_it_created_and_no_others(
    tenant: TenantClient,
) -> None:
    agent_id = await tenant.published_agent()
    key, other_key = await tenant.publishable_key(), await tenant.publishable_key()
    wanted = {
        "agent_id": str(agent_id),
        "participants": [{"transport": "webrtc", "identity": "ada"}],
    }
    call = (await tenant.http.post("/v1/calls", headers=key, json=wanted)).json()
    assert (await give(tenant, call, {"rating": "up"}, key)).status_code == 200
    refused = await give(tenant, call, {"rating": "down"}, other_key)
    assert (refused.status_code, refused.json()["code"]) == (404, "call_not_found")
    own = await create_call(tenant, agent_id)
    assert (await give(tenant, own, {"rating": "up"}, key)).status_code == 404
    one = (await tenant.get(f"/v1/calls/{call['id']}")).json()
    assert one["feedback"]["rating"] == "up"


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "rating"),
        ({"rating": "sideways"}, "rating"),
        ({"rating": "up", "comment": "x" * 1_001}, "comment"),
        ({"rating": "up", "stars": 5}, "stars"),
    ],
)
async def test_wrong_feedback_is_400_and_names_the_field(
    tenant: TenantClient, body: dict[str, Any], field: str
) -> None:
    answer = await give(tenant, {"id": uuid4()}, body)
    assert answer.status_code == 400
    assert answer.json()["errors"][0]["field"] == field


async def test_the_participant_of_a_call_sees_its_agent_and_its_feedback(
    tenant: TenantClient,
) -> None:
    call = await create_call(tenant, await tenant.published_agent(name="Front desk"))
    await give(tenant, call, {"rating": "up"})
    token = call["participants"][0]["access"]["token"]
    headers = {"Authorization": f"Bearer {token}"}
    answer = await tenant.http.get(f"/v1/rtc/{call['id']}", headers=headers)
    assert answer.status_code == 200, answer.text
    seen = answer.json()
    assert (seen["agent"]["name"], seen["status"]) == ("Front desk", "connecting")
    assert (seen["ended_at"], seen["duration_seconds"], seen["summary"]) == (None, None, None)
    assert seen["feedback"]["rating"] == "up"
    another = await tenant.http.get(f"/v1/rtc/{uuid4()}", headers=headers)
    assert another.json()["code"] == "access_token_for_another_call"


async def test_it_is_erased_with_the_data_of_the_caller(
    tenant: TenantClient, database: Database
) -> None:
    call = await create_call(tenant, await tenant.published_agent())
    await give(tenant, call, {"rating": "down", "comment": "I am Ada."})
    call_id = UUID(call["id"])
    async with database.system_session() as session:
        await forget_caller(session, tenant.tenant_id, call_id, "caller", datetime.now(UTC))
    async with database.system_session() as session:
        kept = await session.scalar(select(Call.feedback).where(Call.id == call_id))
    assert kept is None


async def test_it_does_not_come_back_after_the_data_of_the_caller_was_erased(
    tenant: TenantClient, database: Database
) -> None:
    """The call names the caller no longer, so another erasure would not find it."""
    call = await create_call(tenant, await tenant.published_agent())
    async with database.system_session() as session:
        await forget_caller(
            session, tenant.tenant_id, UUID(call["id"]), "caller", datetime.now(UTC)
        )
    refused = await give(tenant, call, {"rating": "down", "comment": "I am Ada."})
    assert (refused.status_code, refused.json()["code"]) == (404, "call_not_found")
    assert await shown(tenant, call) is None


async def test_the_card_of_an_agent_refuses_what_a_call_would_refuse(
    tenant: TenantClient, other_tenant: TenantClient
) -> None:
    agent_id = await tenant.published_agent(name="Front desk")
    key = await tenant.publishable_key(allowed_agent_ids=[str(agent_id)])
    card = await tenant.http.get(f"/v1/agents/{agent_id}/card", headers=key)
    assert card.json() == {
        "id": str(agent_id),
        "name": "Front desk",
        "language": "en-US",
        "languages": ["en-US"],
    }
    unpublished = await tenant.agent()
    refusals = {
        (unpublished, "agent_not_publish_ready"): tenant.headers,
        (unpublished, "key_scope_violation"): key,
        (agent_id, "agent_not_found"): other_tenant.headers,
    }
    for (wanted, code), headers in refusals.items():
        answer = await tenant.http.get(f"/v1/agents/{wanted}/card", headers=headers)
        assert answer.json()["code"] == code
