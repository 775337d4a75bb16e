"""How many calls a tenant, a publishable key and an address may have open at a time."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any
from uuid import UUID, uuid4

import httpx2
import pytest
from sqlalchemy import text

from contracts.events import CallStarted
from control_plane.calling.calls.events.consumer import EventConsumer
from control_plane.platform.database import Database
from control_plane.platform.settings import ControlPlaneSettings
from tests.control_plane.conftest import OPERATOR, TenantClient
from tests.control_plane.conversation import CALLER, catch_up
from tests.control_plane.fake_worker import FakeWorker
from tests.control_plane.linked import settings as linked_settings

__all__ = ["linked_settings"]

CAPS = {
    "calls_at_once_per_tenant": 20,
    "calls_at_once_per_key": 7,
    "calls_at_once_per_address": 5,
    "calls_not_joined_per_tenant": 10,
    "calls_not_joined_per_key": 6,
    "calls_not_joined_per_address": 3,
}


@pytest.fixture
def settings(linked_settings: ControlPlaneSettings) -> ControlPlaneSettings:
    return linked_settings.model_copy(update=CAPS)


@pytest.fixture
async def agent_id(tenant: TenantClient) -> UUID:
    return await tenant.published_agent()


async def post(
    tenant: TenantClient, agent_id: UUID, headers: dict[str, str] | None = None, address: str = ""
) -> httpx2.Response:
    """With the tenant's secret key unless ``headers`` has another one."""
    forwarded = {"X-Forwarded-For": address} if address else {}
    return await tenant.http.post(
        "/v1/calls",
        headers=(headers or tenant.headers) | forwarded,
        json={"agent_id": str(agent_id), "participants": [CALLER]},
    )


def refusal(answer: httpx2.Response) -> tuple[int, Any, Any, Any, Any]:
    problem = answer.json()
    return answer.status_code, *(problem.get(each) for each in ("policy", "calls", "limit", "used"))


async def test_a_stranger_cannot_open_as_many_calls_as_it_likes(
    tenant: TenantClient, agent_id: UUID, database: Database
) -> None:
    page = await tenant.publishable_key()
    answers = await asyncio.gather(*(post(tenant, agent_id, page, "192.0.2.7") for _ in range(12)))
    assert Counter(answer.status_code for answer in answers) == {201: 3, 429: 9}
    refused = next(answer for answer in answers if answer.status_code == 429)
    assert refused.json()["code"] == "too_many_calls"
    assert refusal(refused) == (429, "address", "not_joined", 3, 3)
    assert refused.headers["Retry-After"] == "20"
    async with database.system_session() as session:
        assert await session.scalar(text("SELECT count(*) FROM call_reserves")) == 3, (
            "a refused call holds nothing"
        )


async def test_strangers_at_many_addresses_reach_the_caps_of_the_key_and_then_of_the_tenant(
    tenant: TenantClient, agent_id: UUID
) -> None:
    pages = [await tenant.publishable_key() for _ in range(2)]

    async def flood(page: dict[str, str]) -> Counter[tuple[Any, ...]]:
        answers = [
            await post(tenant, agent_id, page, f"192.0.2.{number}") for number in range(1, 10)
        ]
        return Counter(refusal(answer) for answer in answers if answer.status_code != 201)

    assert await flood(pages[0]) == {(429, "key", "not_joined", 6, 6): 3}
    # A fifth of the tenant's ten is kept for its own keys.
    assert await flood(pages[1]) == {(429, "tenant", "not_joined", 8, 8): 7}
    assert [(await post(tenant, agent_id)).status_code for _ in range(3)] == [201, 201, 429]


async def test_the_tenants_own_requests_have_no_cap_per_address(
    tenant: TenantClient, agent_id: UUID
) -> None:
    answers = [await post(tenant, agent_id, address="192.0.2.7") for _ in range(10)]
    assert {answer.status_code for answer in answers} == {201}
    assert refusal(await post(tenant, agent_id)) == (429, "tenant", "not_joined", 10, 10)


async def test_simultaneous_requests_do_not_exceed_a_cap(
    tenant: TenantClient, agent_id: UUID
) -> None:
    answers = await asyncio.gather(*(post(tenant, agent_id) for _ in range(18)))
    assert Counter(answer.status_code for answer in answers) == {201: 10, 429: 8}


async def test_a_joined_call_counts_only_among_the_calls_at_once(
    tenant: TenantClient,
    agent_id: UUID,
    worker: FakeWorker,
    consumer: EventConsumer,
    database: Database,
) -> None:
    page = await tenant.publishable_key()
    for number in range(5):
        answer = await post(tenant, agent_id, page, "192.0.2.7")
        assert answer.status_code == 201, (number, answer.text)
        plan = await worker.claim()
        assert plan is not None
        await worker.ship(plan, CallStarted(participant_id=plan.participants[0].participant_id))
        await catch_up(consumer)
    assert refusal(await post(tenant, agent_id, page, "192.0.2.7")) == (
        *(429, "address", "at_once", 5, 5),
    )
    await worker.end(plan, 1_000)
    await catch_up(consumer)
    # Without a key of its own it would get the same refusal again for a second.
    new = page | {"Idempotency-Key": "after-the-end"}
    assert (await post(tenant, agent_id, new, "192.0.2.7")).status_code == 201
    async with database.system_session() as session:
        kept = await session.scalars(
            text("SELECT DISTINCT client_address FROM calls WHERE ended_at IS NOT NULL")
        )
        assert kept.all() == [None], "an address is not needed when its call is over"


async def test_addresses_of_one_ipv6_network_are_one(tenant: TenantClient, agent_id: UUID) -> None:
    page = await tenant.publishable_key()
    answers = [await post(tenant, agent_id, page, f"2001:db8::{number}") for number in range(1, 5)]
    assert [answer.status_code for answer in answers] == [201, 201, 201, 429]


async def test_other_tenants_do_not_count(
    tenant: TenantClient, other_tenant: TenantClient, agent_id: UUID
) -> None:
    page = await tenant.publishable_key()
    for _ in range(4):
        last = await post(tenant, agent_id, page, "192.0.2.7")
    assert last.status_code == 429
    others_page, others_agent = (
        await other_tenant.publishable_key(),
        await other_tenant.published_agent(),
    )
    assert (await post(other_tenant, others_agent, others_page, "192.0.2.7")).status_code == 201


async def test_the_operator_sets_the_caps_of_a_plan_and_of_a_tenant(
    tenant: TenantClient, agent_id: UUID
) -> None:
    async def operator(method: str, path: str, **body: object) -> dict[str, Any]:
        answer = await tenant.http.request(
            method, f"/v1/operator{path}", headers=OPERATOR, json=body
        )
        assert answer.status_code in (200, 201), answer.text
        shown: dict[str, Any] = answer.json()
        return shown

    plan = await operator(
        "POST", "/plans", id="small", display_name="Small", calls_at_once=2, dispatch_weight=3
    )
    assert (plan["calls_at_once"], plan["calls_not_joined"], plan["dispatch_weight"]) == (
        2,
        None,
        3,
    )
    changed = await operator("PATCH", f"/tenants/{tenant.tenant_id}", plan_id="small")
    assert (changed["calls_at_once"], changed["calls_not_joined"]) == (None, None)
    assert [(await post(tenant, agent_id)).status_code for _ in range(3)] == [201, 201, 429]

    await operator("PATCH", f"/tenants/{tenant.tenant_id}", calls_at_once=4, calls_not_joined=3)
    assert (await post(tenant, agent_id)).status_code == 201
    assert refusal(await post(tenant, agent_id)) == (429, "tenant", "not_joined", 3, 3)
    await operator("PATCH", f"/tenants/{tenant.tenant_id}", calls_not_joined=0)
    assert (await post(tenant, agent_id)).status_code == 201
    assert refusal(await post(tenant, agent_id)) == (429, "tenant", "at_once", 4, 4)
    await operator("PATCH", f"/tenants/{tenant.tenant_id}", calls_at_once=None)
    assert refusal(await post(tenant, agent_id)) == (429, "tenant", "at_once", 2, 4)


async def test_a_page_may_wait_twenty_seconds_for_its_visitor(
    tenant: TenantClient, agent_id: UUID, worker: FakeWorker
) -> None:
    await post(tenant, agent_id)
    plan = await worker.claim()
    assert plan is not None
    assert plan.limits.join_timeout_seconds == 20


@pytest.mark.parametrize(
    ("channels", "second"), [(["web"], "too_many_calls"), (["web", "phone"], "agent_not_found")]
)
async def test_a_refused_web_call_is_answered_from_memory_only_for_a_key_without_phones(
    tenant: TenantClient, agent_id: UUID, channels: list[str], second: str
) -> None:
    phone = {"phone_agent_id": str(agent_id)} if "phone" in channels else {}
    page = await tenant.publishable_key(allowed_channels=channels, **phone)
    codes = [(await post(tenant, agent_id, page)).json().get("code") for _ in range(4)]
    assert codes == [None, None, None, "too_many_calls"]
    # A request that is looked at is refused for another reason.
    assert (await post(tenant, uuid4(), page)).json()["code"] == second
