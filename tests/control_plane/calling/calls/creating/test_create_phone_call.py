"""``POST /v1/calls`` with phones: queued, and answered with 202."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import httpx2
import pytest
from redis.asyncio import Redis
from sqlalchemy import select

from contracts import redis_names
from control_plane.calling.calls.models import Call
from control_plane.calling.dialing.models import DialingJob
from control_plane.calling.numbers.models import Number
from control_plane.platform.database import Database
from control_plane.platform.settings import ControlPlaneSettings
from tests.control_plane.calling.calls.creating.test_create_call_errors import empty_account
from tests.control_plane.calling.dialing.phone import CALLEE, DIALING, OWN_NUMBER
from tests.control_plane.conftest import TenantClient
from tests.control_plane.conversation import CALLER
from tests.control_plane.linked import settings as linked_settings
from tests.stand_ins.simulated_carrier import NAME

__all__ = ["linked_settings"]

PHONE = {"transport": "pstn", "identity": CALLEE}


@pytest.fixture
def settings(linked_settings: ControlPlaneSettings) -> ControlPlaneSettings:
    return linked_settings.model_copy(update={"dialing": DIALING})


@pytest.fixture
async def agent_id(tenant: TenantClient, database: Database) -> UUID:
    """A published agent of a tenant with one number."""
    async with database.system_session() as session:
        session.add(Number(tenant_id=tenant.tenant_id, number=OWN_NUMBER, carrier=NAME))
    return await tenant.published_agent()


async def call(
    tenant: TenantClient,
    agent_id: UUID | None,
    *participants: dict[str, Any],
    headers: dict[str, str] | None = None,
) -> httpx2.Response:
    named = {} if agent_id is None else {"agent_id": str(agent_id)}
    return await tenant.http.post(
        "/v1/calls",
        headers=headers or tenant.headers,
        json=named | {"participants": [*participants], "variables": {"name": "Ada"}},
    )


async def jobs_of(database: Database, tenant: TenantClient) -> list[DialingJob]:
    async with database.tenant_session(tenant.tenant_id) as session:
        return list(await session.scalars(select(DialingJob).order_by(DialingJob.to_number)))


async def test_a_phone_call_is_queued_and_no_worker_is_asked(
    tenant: TenantClient, database: Database, redis: Redis, agent_id: UUID
) -> None:
    answer = await call(tenant, agent_id, PHONE | {"metadata": {"row": 7}})
    assert answer.status_code == 202, answer.text
    made = answer.json()
    [job] = await jobs_of(database, tenant)
    assert set(made) == {"id", "room_name", "status", "participants"}
    assert made["status"] == "queued"
    [phone] = made["participants"]
    assert (phone["transport"], phone["identity"], phone["status"]) == ("pstn", CALLEE, "queued")
    assert phone["job_id"] == str(job.id)
    assert phone["telephony_leg_id"] == str(job.telephony_leg_id)
    assert (phone["from_number"], phone["metadata"]) == (OWN_NUMBER, {"row": 7})
    [shown] = (await tenant.get(f"/v1/calls/{made['id']}")).json()["participants"]
    assert shown == {name: value for name, value in phone.items() if name != "access"}
    assert phone["access"] is None
    assert (job.to_number, job.from_number) == (CALLEE, OWN_NUMBER)
    assert await redis.xlen(redis_names.DISPATCH_STREAM) == 0

    shown = (await tenant.get(f"/v1/calls/{made['id']}")).json()
    assert shown["status"] == "queued"
    assert shown["primary_participant"] == {"identity": CALLEE, "transport": "pstn"}


async def test_browsers_and_phones_can_be_in_one_call(
    tenant: TenantClient, database: Database, agent_id: UUID
) -> None:
    other = PHONE | {"identity": "+14155550124"}
    answer = await call(tenant, agent_id, CALLER, PHONE, other)
    assert answer.status_code == 202, answer.text
    browser, first, second = answer.json()["participants"]
    assert browser["status"] == "joining"
    assert browser["access"]["token"]
    assert browser["job_id"] is None
    assert [str(job.id) for job in await jobs_of(database, tenant)] == [
        first["job_id"],
        second["job_id"],
    ]


async def test_the_plan_names_the_number_that_is_called_from(
    tenant: TenantClient, database: Database, agent_id: UUID
) -> None:
    await call(tenant, agent_id, CALLER, PHONE)
    async with database.tenant_session(tenant.tenant_id) as session:
        plan = await session.scalar(select(Call.plan))
    assert plan is not None
    assert [each["from_number"] for each in plan["participants"]] == [None, OWN_NUMBER]
    assert plan["variables"] == {"name": "Ada"}


async def test_a_publishable_keys_phone_call_runs_its_own_agent(
    tenant: TenantClient, database: Database, agent_id: UUID
) -> None:
    key = await tenant.publishable_key(
        allowed_channels=["phone"],
        phone_agent_id=str(agent_id),
        call_limits={"undeclared_variables": True},
    )
    answer = await call(tenant, None, PHONE, headers=key)
    assert answer.status_code == 202, answer.text
    shown = (await tenant.get(f"/v1/calls/{answer.json()['id']}")).json()
    assert shown["agent_id"] == str(agent_id)


async def test_a_number_of_somebody_else_is_400(tenant: TenantClient, agent_id: UUID) -> None:
    answer = await call(tenant, agent_id, PHONE | {"from_number": "+14155559999"})
    assert answer.status_code == 400
    assert answer.json()["errors"][0]["field"] == "participants[0].from_number"


async def test_a_tenant_without_a_number_is_told_how_to_get_one(tenant: TenantClient) -> None:
    answer = await call(tenant, await tenant.published_agent(), PHONE)
    assert answer.status_code == 400
    assert "no number to call from" in answer.json()["detail"]


async def test_without_credit_nothing_is_queued(
    tenant: TenantClient, database: Database, agent_id: UUID
) -> None:
    await empty_account(database, tenant)
    assert (await call(tenant, agent_id, PHONE)).status_code == 402
    assert await jobs_of(database, tenant) == []


async def test_a_repeated_request_dials_once(
    tenant: TenantClient, database: Database, agent_id: UUID
) -> None:
    headers = tenant.headers | {"Idempotency-Key": "order-1"}
    first = await call(tenant, agent_id, PHONE, headers=headers)
    again = await call(tenant, agent_id, PHONE, headers=headers)
    assert (again.status_code, again.content) == (202, first.content)
    assert len(await jobs_of(database, tenant)) == 1
