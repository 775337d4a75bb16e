"""The phone of a person to whom a running call is transferred: queued before all others, once."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID, uuid4

import pytest
from sqlalchemy import select

from control_plane.calling.calls.errors import CallPaidByTester
from control_plane.calling.dialing import repository
from control_plane.calling.dialing.models import DialingJob
from control_plane.calling.dialing.service import HIGHEST_PRIORITY
from control_plane.calling.numbers.models import Number
from control_plane.calling.telecom.errors import PhoneCountryNotAllowed
from control_plane.calling.transfers.target import call_target
from control_plane.platform.database import Database
from control_plane.platform.errors import Problem
from control_plane.platform.settings import DialingSettings
from tests.control_plane.calling.dialing.phone import CALLEE, OWN_NUMBER, Phones, paid_by
from tests.control_plane.conftest import TenantClient
from tests.control_plane.conversation import create_call
from tests.stand_ins.simulated_carrier import NAME

DIALING = DialingSettings(carriers=frozenset({NAME}))


@pytest.fixture(autouse=True)
async def own_number(tenant: TenantClient, database: Database) -> None:
    async with database.system_session() as session:
        session.add(Number(tenant_id=tenant.tenant_id, number=OWN_NUMBER, carrier=NAME))


async def called(
    tenant: TenantClient, database: Database, target: UUID, call_id: str, number: str = CALLEE
) -> None:
    async with database.system_session() as session:
        await call_target(
            session, UUID(str(tenant.tenant_id)), UUID(call_id), target, number, DIALING
        )


async def jobs(database: Database, call_id: str) -> list[DialingJob]:
    async with database.system_session() as session:
        found = await session.scalars(select(DialingJob).where(DialingJob.call_id == UUID(call_id)))
        return list(found)


async def test_the_person_is_called_next_and_once(tenant: TenantClient, database: Database) -> None:
    call = await create_call(tenant, await tenant.published_agent())
    target = uuid4()
    for _ in range(2):
        await called(tenant, database, target, call["id"])
    (job,) = await jobs(database, call["id"])
    assert (job.participant_id, job.to_number, job.from_number) == (target, CALLEE, OWN_NUMBER)
    assert job.priority == HIGHEST_PRIORITY
    assert (job.give_up_at - job.due_at).total_seconds() <= 20


async def test_no_request_is_more_urgent_than_a_caller_who_waits(
    tenant: TenantClient, database: Database, no_bridge: Phones
) -> None:
    agent_id = await tenant.published_agent()
    await no_bridge.queue(tenant, agent_id, "+14155550124", priority=9)
    call = await create_call(tenant, agent_id)
    await called(tenant, database, uuid4(), call["id"])
    async with database.system_session() as session:
        [first] = await repository.lock_due_jobs(
            session,
            UUID(str(tenant.tenant_id)),
            datetime.now(UTC),
            1,
            without=(),
            full_numbers=(),
        )
    assert first.to_number == CALLEE


@pytest.mark.parametrize(("voicemail", "asked"), [(None, "off"), ({"action": "hang_up"}, "detect")])
async def test_the_carrier_listens_for_a_machine_where_the_agent_cares(
    tenant: TenantClient, database: Database, voicemail: dict[str, str] | None, asked: str
) -> None:
    agent_id = await tenant.published_agent(advanced={"voicemail": voicemail})
    call = await create_call(tenant, agent_id)
    await called(tenant, database, uuid4(), call["id"])
    (job,) = await jobs(database, call["id"])
    assert job.machine_detection == asked


async def test_nobody_is_called_for_a_call_that_is_over(
    tenant: TenantClient, database: Database
) -> None:
    call = await create_call(tenant, await tenant.published_agent())
    await tenant.post(f"/v1/calls/{call['id']}/end", {})
    await called(tenant, database, uuid4(), call["id"])
    assert await jobs(database, call["id"]) == []


async def test_limits_against_toll_fraud_hold_for_the_person_s_number(
    tenant: TenantClient, database: Database
) -> None:
    call = await create_call(tenant, await tenant.published_agent())
    with pytest.raises(PhoneCountryNotAllowed):
        await called(tenant, database, uuid4(), call["id"], "+442079460123")
    assert await jobs(database, call["id"]) == []


async def test_a_number_that_must_not_be_called_is_refused(
    tenant: TenantClient, database: Database
) -> None:
    call = await create_call(tenant, await tenant.published_agent())
    await tenant.post("/v1/do-not-call", {"number": CALLEE})
    with pytest.raises(Problem):
        await called(tenant, database, uuid4(), call["id"])
    assert await jobs(database, call["id"]) == []


async def test_nobody_is_called_at_the_cost_of_a_tester(
    tenant: TenantClient, other_tenant: TenantClient, database: Database
) -> None:
    call = await create_call(tenant, await tenant.published_agent())
    await paid_by(database, call["id"], other_tenant)
    with pytest.raises(CallPaidByTester):
        await called(tenant, database, uuid4(), call["id"])
    assert await jobs(database, call["id"]) == []
