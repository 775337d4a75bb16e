"""``Idempotency-Key``: a request is carried out once, however often it is sent."""

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta
from types import SimpleNamespace
from typing import Any
from uuid import UUID, uuid4

import httpx2
import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.platform import batched_deletion
from control_plane.platform.database import Database
from control_plane.platform.idempotency import tasks
from control_plane.platform.idempotency.answer import KEY_LIFETIME
from control_plane.platform.idempotency.repository import forget
from control_plane.platform.job_queue import job_resources
from tests.control_plane.calling.calls.creating.test_create_call_errors import empty_account
from tests.control_plane.conftest import OPERATOR, TenantClient
from tests.control_plane.conversation import CALLER
from tests.control_plane.lock_waits import until_somebody_waits

REPLAYED = "Idempotency-Replayed"


async def post(
    tenant: TenantClient,
    path: str,
    body: object,
    key: str,
    headers: dict[str, str] | None = None,
) -> httpx2.Response:
    sent = (headers or tenant.headers) | {"Idempotency-Key": key}
    return await tenant.http.post(path, headers=sent, json=body)


def call(agent_id: UUID, **fields: Any) -> dict[str, Any]:
    return {"agent_id": str(agent_id), "participants": [CALLER]} | fields


async def calls_of(tenant: TenantClient) -> int:
    total: int = (await tenant.get("/v1/calls")).json()["total"]
    return total


async def test_the_same_request_again_gets_the_same_answer_and_makes_nothing(
    tenant: TenantClient,
) -> None:
    wanted = call(await tenant.published_agent())
    first = await post(tenant, "/v1/calls", wanted, "order-1")
    again = await post(tenant, "/v1/calls", wanted, "order-1")

    assert (first.status_code, again.status_code) == (201, 201)
    assert again.content == first.content
    assert again.headers["content-type"] == first.headers["content-type"]
    assert REPLAYED not in first.headers
    assert again.headers[REPLAYED] == "true"
    assert await calls_of(tenant) == 1


async def test_the_order_of_names_in_the_body_does_not_make_another_request(
    tenant: TenantClient,
) -> None:
    wanted = call(await tenant.published_agent())
    await post(tenant, "/v1/calls", wanted, "order-1")
    again = await post(tenant, "/v1/calls", dict(reversed(wanted.items())), "order-1")
    assert again.headers[REPLAYED] == "true"


@pytest.mark.parametrize("changed", [{"metadata": {"a": 1}}, {"participants": []}, {"x": 1}])
async def test_another_body_is_422_whatever_is_wrong_with_it(
    tenant: TenantClient, changed: dict[str, Any]
) -> None:
    wanted = call(await tenant.published_agent())
    await post(tenant, "/v1/calls", wanted, "order-1")
    answer = await post(tenant, "/v1/calls", wanted | changed, "order-1")
    assert (answer.status_code, answer.json()["code"]) == (422, "idempotency_key_reused")
    assert await calls_of(tenant) == 1


async def test_simultaneous_requests_make_one_call(tenant: TenantClient) -> None:
    wanted = call(await tenant.published_agent())
    answers = await asyncio.gather(
        *(post(tenant, "/v1/calls", wanted, "order-1") for _ in range(12))
    )
    assert {answer.status_code for answer in answers} == {201}
    assert len({answer.content for answer in answers}) == 1
    assert sum(REPLAYED not in answer.headers for answer in answers) == 1
    assert await calls_of(tenant) == 1


async def test_simultaneous_requests_with_different_bodies_make_one_call(
    tenant: TenantClient,
) -> None:
    agent_id = await tenant.published_agent()
    answers = await asyncio.gather(
        *(
            post(tenant, "/v1/calls", call(agent_id, metadata={"number": number}), "order-1")
            for number in range(6)
        )
    )
    assert sorted(answer.status_code for answer in answers) == [201, 422, 422, 422, 422, 422]
    assert await calls_of(tenant) == 1


async def test_one_that_waits_for_a_request_that_is_rolled_back_is_carried_out(
    tenant: TenantClient, database: Database
) -> None:
    wanted = {"name": "Reception"}
    first = await post(tenant, "/v1/agents", wanted, "agent-1")
    async with database.system_session() as session:
        # The first request's transaction, as if it still ran.
        claimed = (await session.execute(text("DELETE FROM answered_requests RETURNING *"))).one()
    async with database.system_session() as running:
        await running.execute(
            text(
                "INSERT INTO answered_requests VALUES"
                " (:key_digest, :tenant_id, :request_digest, '', now())"
            ),
            dict(claimed._mapping),
        )
        waiting = asyncio.create_task(post(tenant, "/v1/agents", wanted, "agent-1"))
        await until_somebody_waits(database)
        await running.rollback()
    answer = await waiting
    assert answer.status_code == 201, answer.text
    assert REPLAYED not in answer.headers
    assert answer.json()["id"] != first.json()["id"]


async def test_a_refused_request_leaves_no_key(tenant: TenantClient, database: Database) -> None:
    agent_id = await tenant.agent()
    assert (await post(tenant, "/v1/calls", call(agent_id), "order-1")).status_code == 409
    assert (await tenant.post(f"/v1/agents/{agent_id}/publish")).status_code == 200
    assert (await post(tenant, "/v1/calls", call(agent_id), "order-1")).status_code == 201


async def test_a_replay_needs_nothing_that_the_first_request_needed(
    tenant: TenantClient, database: Database
) -> None:
    wanted = call(await tenant.published_agent())
    first = await post(tenant, "/v1/calls", wanted, "order-1")
    await empty_account(database, tenant)
    again = await post(tenant, "/v1/calls", wanted, "order-1")
    assert (again.status_code, again.content) == (201, first.content)


async def test_a_key_belongs_to_one_route(tenant: TenantClient) -> None:
    for path in ("/v1/agents", "/v1/agents/draft"):
        answer = await post(tenant, path, {"name": "Reception"}, "same")
        assert answer.status_code == 201
        assert REPLAYED not in answer.headers


async def test_a_key_belongs_to_the_caller_who_sent_it(
    tenant: TenantClient, other_tenant: TenantClient
) -> None:
    wanted = call(await tenant.published_agent())
    first = await post(tenant, "/v1/calls", wanted, "same")
    page = await tenant.publishable_key()
    by_page = await post(tenant, "/v1/calls", wanted, "same", page)
    assert by_page.status_code == 201
    assert by_page.json()["id"] != first.json()["id"]
    foreign = await post(other_tenant, "/v1/agents", {"name": "Reception"}, "same")
    own = await post(tenant, "/v1/agents", {"name": "Reception"}, "same")
    assert foreign.json()["id"] != own.json()["id"]


async def test_a_wrong_key_comes_before_a_replay(tenant: TenantClient) -> None:
    wanted = call(await tenant.published_agent())
    await post(tenant, "/v1/calls", wanted, "same")
    stranger = {"Authorization": "Bearer sb_secret_unknown"}
    assert (await post(tenant, "/v1/calls", wanted, "same", stranger)).status_code == 401


@pytest.mark.parametrize("key", ["", "x" * 256, "with blank", "ü"])
async def test_a_malformed_key_is_400(tenant: TenantClient, key: str) -> None:
    headers = {name.encode(): value.encode() for name, value in tenant.headers.items()}
    headers[b"Idempotency-Key"] = key.encode("latin-1")
    answer = await tenant.http.post("/v1/agents", headers=headers, json={"name": "Reception"})
    assert answer.status_code == 400
    assert "Idempotency-Key" in answer.json()["errors"][0]["field"]


async def test_a_key_can_be_used_again_after_a_day(
    tenant: TenantClient, database: Database
) -> None:
    first = await post(tenant, "/v1/agents", {"name": "Reception"}, "same")
    await _grow_older(database)
    second = await post(tenant, "/v1/agents", {"name": "Another"}, "same")
    third = await post(tenant, "/v1/agents", {"name": "Another"}, "same")
    assert second.json()["id"] != first.json()["id"]
    assert third.content == second.content


async def test_old_answers_are_forgotten(tenant: TenantClient, database: Database) -> None:
    await post(tenant, "/v1/agents", {"name": "Reception"}, "old")
    await _grow_older(database)
    await post(tenant, "/v1/agents", {"name": "Reception"}, "new")
    async with database.system_session() as session:
        now = await session.scalar(text("SELECT now()"))
        await forget(session, now - KEY_LIFETIME, most=10)
        assert await session.scalar(text("SELECT count(*) FROM answered_requests")) == 1


async def test_many_old_answers_are_forgotten_in_several_transactions(
    tenant: TenantClient, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that takes too long is undone, and the next one would have still more to delete."""
    for key in ("one", "two", "three"):
        await post(tenant, "/v1/agents", {"name": "Reception"}, key)
    await _grow_older(database)
    await post(tenant, "/v1/agents", {"name": "Reception"}, "new")
    forgotten: list[int] = []

    async def noted(session: AsyncSession, before: datetime, *, most: int) -> int:
        forgotten.append(await forget(session, before, most=most))
        return forgotten[-1]

    monkeypatch.setattr(tasks, "forget", noted)
    monkeypatch.setattr(batched_deletion, "DELETED_TOGETHER", 2)
    context: Any = SimpleNamespace(additional_context=job_resources(database))
    await tasks.forget_old_answers(context, timestamp=0)
    assert forgotten == [2, 1]
    async with database.system_session() as session:
        assert await session.scalar(text("SELECT count(*) FROM answered_requests")) == 1


async def _grow_older(database: Database) -> None:
    async with database.system_session() as session:
        await session.execute(
            text("UPDATE answered_requests SET claimed_at = claimed_at - :age"),
            {"age": KEY_LIFETIME + timedelta(seconds=1)},
        )


async def test_a_new_keys_secret_is_not_kept_in_the_clear(
    tenant: TenantClient, database: Database
) -> None:
    made = await post(tenant, "/v1/api-keys", {"name": "New", "kind": "secret"}, "key-1")
    assert made.status_code == 201, made.text
    again = await post(tenant, "/v1/api-keys", {"name": "New", "kind": "secret"}, "key-1")
    assert again.json()["key"] == made.json()["key"]
    async with database.system_session() as session:
        kept = await session.scalar(text("SELECT string_agg(t::text, '') FROM answered_requests t"))
    assert made.json()["key"] not in kept


async def test_the_operators_credit_is_granted_once(tenant: TenantClient) -> None:
    path = f"/v1/operator/tenants/{tenant.tenant_id}/credits"
    wanted = {"amount_usd": 5, "description": "Sorry", "bucket": "free"}
    key = uuid4().hex
    answers = [await post(tenant, path, wanted, key, OPERATOR) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [201, 201], answers[0].text
    assert answers[0].content == answers[1].content
    other = f"/v1/operator/tenants/{uuid4()}/credits"
    assert (await post(tenant, other, wanted, key, OPERATOR)).status_code == 422
