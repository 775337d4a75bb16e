"""A running call's worker is told at once when a phone that the call waits for will not come."""

from __future__ import annotations

from uuid import UUID, uuid4

import pytest
from redis.asyncio import Redis
from sqlalchemy import text

from contracts.call_plan import CallPlan
from contracts.commands import PhoneNotReached
from control_plane.calling.calls.events.consumer import EventConsumer
from control_plane.calling.dialing.models import JobState
from control_plane.calling.transfers.target import call_target
from control_plane.money.billing import service as billing
from control_plane.platform.database import Database
from control_plane.platform.settings import ControlPlaneSettings
from tests.control_plane.calling.dialing.phone import CALLEE, Phones
from tests.control_plane.conftest import TenantClient
from tests.control_plane.conversation import call_of, running_call
from tests.control_plane.fake_worker import FakeWorker
from tests.stand_ins.simulated_carrier import SimulatedCarrier


@pytest.fixture
def phones(
    database: Database, redis: Redis, carrier: SimulatedCarrier, settings: ControlPlaneSettings
) -> Phones:
    """Without a bridge: these phones are never dialed."""
    return Phones(database, redis, carrier, settings)


@pytest.fixture
async def plan(
    tenant: TenantClient, phones: Phones, worker: FakeWorker, consumer: EventConsumer
) -> CallPlan:
    await phones.give_number(tenant)
    return await running_call(tenant, worker, consumer)


async def transferred(phones: Phones, plan: CallPlan) -> UUID:
    """The person to whom the call is transferred; the phone waits to be dialed."""
    target = uuid4()
    async with phones.database.system_session() as session:
        await call_target(
            session, plan.tenant_id, plan.call_id, target, CALLEE, phones.settings.dialing
        )
    return target


async def assert_told(worker: FakeWorker, plan: CallPlan, target: UUID, why: str) -> None:
    [command] = await worker.commands()
    assert command.call_id == plan.call_id
    assert command.body == PhoneNotReached(participant_id=target, why=f"{CALLEE} {why}")


async def test_a_worker_is_told_of_a_phone_that_was_not_dialed_in_time(
    tenant: TenantClient, phones: Phones, worker: FakeWorker, plan: CallPlan
) -> None:
    target = await transferred(phones, plan)
    async with phones.database.system_session() as session:
        await session.execute(text("UPDATE dialing_jobs SET give_up_at = now()"))
    await phones.step()
    await assert_told(worker, plan, target, "could not be dialed in the time allowed")
    assert (await call_of(tenant, plan))["status"] == "in_progress"


async def test_a_worker_is_told_of_a_phone_that_came_onto_the_do_not_call_list(
    tenant: TenantClient, phones: Phones, worker: FakeWorker, plan: CallPlan
) -> None:
    target = await transferred(phones, plan)
    assert (await tenant.post("/v1/do-not-call", {"number": CALLEE})).status_code == 201
    await phones.step()
    await assert_told(worker, plan, target, "is on your do-not-call list, so it is not dialed")
    assert (await phones.job(plan.call_id)).state == JobState.CANCELED


async def test_a_worker_is_told_of_a_phone_that_the_balance_does_not_cover(
    tenant: TenantClient, phones: Phones, worker: FakeWorker, plan: CallPlan
) -> None:
    async with phones.database.system_session() as session:
        await billing.adjust(
            session, tenant.tenant_id, "debit", -9_970_000, "Refund", reference="r", details={}
        )
        # The call holds credit for 90 seconds.
        await session.execute(text("UPDATE calls SET metered_ms = 70000"))
    target = await transferred(phones, plan)
    await phones.step()
    await assert_told(
        worker, plan, target, "is not dialed: the balance does not cover its first 30 seconds"
    )
    assert (await phones.job(plan.call_id)).state == JobState.FAILED


async def test_nobody_is_told_when_the_call_ends_with_its_phone(
    tenant: TenantClient, phones: Phones, worker: FakeWorker
) -> None:
    call_id = await phones.queue(tenant, await phones.agent(tenant))
    async with phones.database.system_session() as session:
        await session.execute(text("UPDATE dialing_jobs SET give_up_at = now()"))
    await worker.renew_lease(call_id)
    await phones.step()
    assert await worker.commands() == []
