"""Lists of calls: filters, pages and cursors."""

from __future__ import annotations

import json
from datetime import datetime
from uuid import UUID, uuid4

import pytest
from sqlalchemy import text

from contracts.end_reasons import EndReason
from control_plane.calling.calls.events.consumer import EventConsumer
from control_plane.calling.calls.schemas import CallPage
from control_plane.platform.database import Database
from tests.control_plane.conftest import TenantClient
from tests.control_plane.conversation import (
    CALLER,
    catch_up,
    claimed_call,
    create_call,
    running_call,
)
from tests.control_plane.fake_worker import FakeWorker


async def test_calls_are_listed_newest_first_with_their_participants(tenant: TenantClient) -> None:
    agent_id = await tenant.published_agent()
    ids = [(await create_call(tenant, agent_id, metadata={"n": n}))["id"] for n in range(3)]
    page = (await tenant.get("/v1/calls")).json()
    assert [call["id"] for call in page["calls"]] == ids[::-1]
    assert {k: page[k] for k in ("total", "limit", "offset", "next_cursor")} == {
        "total": 3,
        "limit": 200,
        "offset": 0,
        "next_cursor": None,
    }
    newest = page["calls"][0]
    assert newest["metadata"] == {"n": 2}
    assert newest["participant_count"] == 1
    assert newest["primary_participant"] == {"identity": "ada", "transport": "webrtc"}
    assert set(newest["participants"][0]) == {"id", "role", "transport", "identity", "status"}
    assert newest["intelligence_status"] == "pending"
    assert newest["total_cost"] is None


@pytest.fixture
async def assorted_calls(
    tenant: TenantClient, worker: FakeWorker, consumer: EventConsumer, database: Database
) -> None:
    """Ended with its costs, running, waiting with two participants, and one with nobody in it that
    was made on a whole second."""
    await worker.end(await running_call(tenant, worker, consumer), 12_345)
    await running_call(tenant, worker, consumer)
    agent_id = await tenant.published_agent()
    await create_call(
        tenant,
        agent_id,
        participants=[CALLER, CALLER | {"identity": 'Zoë "Z"'}],
        metadata={"n": [1, None, 1e-7], "ключ": "\\ 😀\n"},
    )
    lonely = (await create_call(tenant, agent_id))["id"]
    await catch_up(consumer)
    async with database.system_session() as session:
        for statement in (
            "UPDATE calls SET created_at = date_trunc('second', created_at) WHERE id = :id",
            "DELETE FROM call_participants WHERE call_id = :id",
        ):
            await session.execute(text(statement), {"id": lonely})


@pytest.mark.usefixtures("assorted_calls")
async def test_a_page_is_made_by_the_database_and_yet_exactly_what_its_schema_says(
    tenant: TenantClient,
) -> None:
    for query in ("", "?limit=1", "/active"):
        page = await tenant.get(f"/v1/calls{query}")
        checked = CallPage.model_validate_json(page.content, extra="forbid")
        assert checked.calls
        assert json.loads(checked.model_dump_json()) == page.json()


@pytest.mark.usefixtures("assorted_calls")
async def test_a_list_says_of_a_call_what_its_detail_says(tenant: TenantClient) -> None:
    listed = (await tenant.get("/v1/calls")).json()["calls"]
    assert {call["bill_duration"] for call in listed} == {12.345, None}
    assert any(call["provider_cost_breakdown"] for call in listed)
    assert {call["participant_count"] for call in listed} == {0, 1, 2}
    assert sum("." not in call["created_at"] for call in listed) == 1
    for call in listed:
        detail = (await tenant.get(f"/v1/calls/{call['id']}")).json()
        for participant, detailed in zip(
            call.pop("participants"), detail.pop("participants"), strict=True
        ):
            assert detailed | participant == detailed
        assert detail | call == detail


async def test_a_cursor_walks_every_call_once(tenant: TenantClient) -> None:
    agent_id = await tenant.published_agent()
    ids = {(await create_call(tenant, agent_id))["id"] for _ in range(5)}
    seen: list[str] = []
    cursor = ""
    while True:
        page = (await tenant.get(f"/v1/calls?limit=2{cursor}")).json()
        seen += [call["id"] for call in page["calls"]]
        if page["next_cursor"] is None:
            break
        cursor = f"&cursor={page['next_cursor']}"
    assert len(seen) == 5
    assert set(seen) == ids


async def test_the_id_of_a_new_call_has_the_time_of_its_creation(tenant: TenantClient) -> None:
    agent_id = await tenant.published_agent()
    made = [UUID((await create_call(tenant, agent_id))["id"]) for _ in range(3)]
    assert [each.version for each in made] == [7, 7, 7]
    assert made == sorted(made)
    newest = (await tenant.get("/v1/calls?limit=1")).json()["calls"][0]
    created_at = datetime.fromisoformat(newest["created_at"])
    assert made[-1].int >> 80 == int(created_at.timestamp() * 1000)


async def test_a_cursor_walks_from_new_ids_to_the_random_ids_of_older_calls(
    tenant: TenantClient, database: Database
) -> None:
    agent_id = await tenant.published_agent()
    made = [(await create_call(tenant, agent_id))["id"] for _ in range(2)]
    older = [str(UUID(int=uuid4().int | 0xFFF << 116, version=4)) for _ in range(2)]
    async with database.system_session() as session:
        for days, call_id in enumerate(older, start=1):
            await session.execute(
                text(
                    "INSERT INTO calls (id, tenant_id, agent_id, room_name, status, plan,"
                    " created_at) SELECT :id, tenant_id, agent_id, room_name, status, plan,"
                    " created_at - :days * interval '1 day' FROM calls WHERE id = :like"
                ),
                {"id": call_id, "like": made[0], "days": days},
            )
    walked, cursor = [], ""
    for _ in range(4):
        page = (await tenant.get(f"/v1/calls?limit=1{cursor}")).json()
        walked.append(page["calls"][0]["id"])
        cursor = f"&cursor={page['next_cursor']}"
    assert walked == [*made[::-1], *older]
    assert page["next_cursor"] is None


@pytest.mark.parametrize("path", ["/v1/calls", "/v1/calls/active", "/v1/agents/{}/calls"])
async def test_a_large_offset_is_400_and_names_the_cursor(tenant: TenantClient, path: str) -> None:
    list_ = path.format(await tenant.agent())
    assert (await tenant.get(f"{list_}?offset=10000")).status_code == 200
    answer = await tenant.get(f"{list_}?offset=10001")
    assert answer.status_code == 400
    assert answer.json()["errors"] == [
        {
            "field": "offset",
            "message": "must be at most 10000; to go further back, send the id of the last call of"
            " a page as 'cursor'",
        }
    ]


async def test_an_offset_skips(tenant: TenantClient) -> None:
    agent_id = await tenant.published_agent()
    ids = [(await create_call(tenant, agent_id))["id"] for _ in range(3)]
    page = (await tenant.get("/v1/calls?limit=1&offset=1")).json()
    assert [call["id"] for call in page["calls"]] == [ids[1]]
    assert page["total"] == 3


async def test_filters_by_status_and_agent(
    tenant: TenantClient, worker: FakeWorker, consumer: EventConsumer
) -> None:
    running = await running_call(tenant, worker, consumer)
    failed = await claimed_call(tenant, worker)
    await worker.end(failed, None, EndReason.SESSION_ERROR)
    await catch_up(consumer)

    async def ids(query: str) -> list[str]:
        return [c["id"] for c in (await tenant.get(f"/v1/calls?{query}")).json()["calls"]]

    assert await ids("status=in_progress") == [str(running.call_id)]
    assert await ids("status=failed") == [str(failed.call_id)]
    assert await ids("status=busy") == []
    assert await ids(f"agent_id={running.agent_id}") == [str(running.call_id)]
    assert await ids(f"agent_id={uuid4()}") == []


@pytest.mark.parametrize(
    "query",
    ["limit=0", "limit=1001", "limit=x", "offset=-1", "status=done", "agent_id=1", "cursor=1"],
)
async def test_a_wrong_query_is_400(tenant: TenantClient, query: str) -> None:
    assert (await tenant.get(f"/v1/calls?{query}")).status_code == 400


async def test_a_foreign_call_is_no_cursor(
    tenant: TenantClient, other_tenant: TenantClient
) -> None:
    foreign = await create_call(other_tenant, await other_tenant.published_agent())
    answer = await tenant.get(f"/v1/calls?cursor={foreign['id']}")
    assert answer.status_code == 400


@pytest.mark.parametrize("path", ["", "/events", "/transcript"])
async def test_an_unknown_call_is_404(tenant: TenantClient, path: str) -> None:
    answer = await tenant.get(f"/v1/calls/{uuid4()}{path}")
    assert (answer.status_code, answer.json()["code"]) == (404, "call_not_found")


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/v1/calls"),
        ("GET", "/v1/calls/active"),
        ("GET", "/v1/calls/{id}"),
        ("GET", "/v1/calls/{id}/events"),
        ("GET", "/v1/calls/{id}/transcript"),
        ("POST", "/v1/calls/{id}/end"),
    ],
)
async def test_a_publishable_key_reads_and_ends_nothing(
    tenant: TenantClient, method: str, path: str
) -> None:
    created = await create_call(tenant, await tenant.published_agent())
    key = await tenant.publishable_key()
    answer = await tenant.http.request(method, path.format(id=created["id"]), headers=key)
    assert answer.status_code == 403
