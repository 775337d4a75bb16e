"""Requests that ask language models are counted and limited for each tenant."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import httpx2
import pytest
from fastapi import FastAPI
from sqlalchemy import text

from control_plane.money.spending.errors import SpendingLimited
from control_plane.money.spending.limits import RequestsAtOnce
from control_plane.platform.database import Database
from control_plane.platform.settings import ControlPlaneSettings
from tests.control_plane.conftest import TenantClient

REQUESTS = {
    "/v1/agents/generate": {"prompt": "A receptionist for my restaurant Bella Napoli."},
    "/v1/agents/draft-field": {"field": "playbook.opener", "instruction": "Say hello"},
    "/v1/agents/chat/answer": {"question": "What is a voice?"},
    "/v1/agents/enrich-company": {"companyName": "Bella", "websiteUrl": "https://127.0.0.1"},
}


@pytest.fixture
def settings(settings: ControlPlaneSettings) -> ControlPlaneSettings:
    return settings.model_copy(update={"agent_builder_per_minute": 5, "agent_builder_per_day": 7})


async def generate(tenant: TenantClient, **headers: str) -> httpx2.Response:
    path = "/v1/agents/generate"
    return await tenant.http.post(path, headers=tenant.headers | headers, json=REQUESTS[path])


async def let_a_minute_pass(database: Database) -> None:
    async with database.system_session() as session:
        earlier = "minute_began_at - interval '1 min'"
        await session.execute(text(f"UPDATE spending_meters SET minute_began_at = {earlier}"))


def refusal(answer: httpx2.Response) -> tuple[Any, ...]:
    problem = answer.json()
    assert 1 <= int(answer.headers["retry-after"]) <= 24 * 3600
    assert answer.headers["retry-after"] in problem["detail"]
    return answer.status_code, problem["code"], problem["policy"], problem["limit"]


async def test_all_routes_of_the_builder_share_one_meter(
    tenant: TenantClient, other_tenant: TenantClient, database: Database
) -> None:
    for path, body in REQUESTS.items():
        answer = await tenant.post(path, body)
        assert answer.status_code == 200, answer.text
    assert (await generate(tenant)).status_code == 200
    for path, body in REQUESTS.items():
        refused = await tenant.post(path, body)
        assert refusal(refused) == (429, "spending_limited", "minute", 5)
    assert (await generate(other_tenant)).status_code == 200
    await let_a_minute_pass(database)
    assert [(await generate(tenant)).status_code for _ in range(2)] == [200, 200]
    await let_a_minute_pass(database)
    assert refusal(await generate(tenant)) == (429, "spending_limited", "day", 7)


async def test_a_repeated_request_is_not_counted(tenant: TenantClient) -> None:
    for _ in range(8):
        answer = await generate(tenant, **{"Idempotency-Key": "monday"})
        assert answer.status_code == 200, answer.text


async def test_zero_sets_no_limit(app: FastAPI, tenant: TenantClient) -> None:
    unlimited = {"agent_builder_per_minute": 0, "agent_builder_per_day": 0}
    app.state.settings = app.state.settings.model_copy(update=unlimited)
    assert {(await generate(tenant)).status_code for _ in range(8)} == {200}


async def test_a_tenant_has_only_so_many_requests_at_once(
    app: FastAPI, tenant: TenantClient, other_tenant: TenantClient
) -> None:
    app.state.builder_requests = at_once = RequestsAtOnce(1)
    with at_once.one_more(tenant.tenant_id):
        assert refusal(await generate(tenant)) == (429, "spending_limited", "at_once", 1)
        assert (await generate(other_tenant)).status_code == 200
    assert (await generate(tenant)).status_code == 200


def test_what_is_over_makes_room() -> None:
    at_once, tenant_id = RequestsAtOnce(2), uuid4()
    with at_once.one_more(tenant_id), at_once.one_more(tenant_id):
        with pytest.raises(SpendingLimited), at_once.one_more(tenant_id):
            pass
        with at_once.one_more(uuid4()):
            pass
    with at_once.one_more(tenant_id):
        pass
