"""``POST /v1/calls/:id/end``: the call ends with an exact bill, whether or not its worker
reacts."""

from __future__ import annotations

import asyncio
from uuid import uuid4

import pytest
from redis.asyncio import Redis

from contracts import redis_names
from contracts.call_plan import CallPlan
from contracts.commands import EndCall
from contracts.end_reasons import EndReason
from contracts.money import charge_micros, usd
from control_plane.calling.calls.ending import hang_up
from control_plane.calling.calls.events.consumer import EventConsumer
from control_plane.platform.database import Database
from tests.control_plane.conftest import TenantClient
from tests.control_plane.conversation import (
    balance_of,
    call_of,
    catch_up,
    create_call,
    running_call,
)
from tests.control_plane.fake_worker import FakeWorker


def cost(plan: CallPlan, seconds: int) -> float:
    return usd(charge_micros(seconds, plan.rate_micros_per_minute))


async def end(tenant: TenantClient, plan: CallPlan) -> dict[str, str]:
    answer = await tenant.post(f"/v1/calls/{plan.call_id}/end")
    assert answer.status_code == 200, answer.text
    assert answer.json()["status"] == "ended"
    assert answer.json()["id"] == str(plan.call_id)
    ended: dict[str, str] = answer.json()
    return ended


async def test_the_workers_own_end_makes_the_bill(
    tenant: TenantClient, worker: FakeWorker, consumer: EventConsumer
) -> None:
    plan = await running_call(tenant, worker, consumer)
    ending = asyncio.create_task(end(tenant, plan))
    command = await worker.next_command()
    assert command.body == EndCall(end_reason=EndReason.NORMAL_HANGUP)
    await worker.end(plan, 30_500, EndReason.NORMAL_HANGUP)
    await catch_up(consumer)
    await ending
    call = await call_of(tenant, plan)
    assert (call["status"], call["end_reason"]) == ("completed", "normal_hangup")
    assert (call["bill_duration"], call["total_cost"]) == (30.5, cost(plan, 60))


async def test_a_worker_that_does_not_react_is_billed_to_the_last_known_position(
    tenant: TenantClient,
    worker: FakeWorker,
    consumer: EventConsumer,
    database: Database,
    redis: Redis,
) -> None:
    plan = await running_call(tenant, worker, consumer)
    await worker.meter(plan, 25_000)
    await catch_up(consumer)
    await worker.report_position(plan, 31_000)
    await hang_up.hang_up(database, redis, tenant.tenant_id, plan.call_id, reaction_seconds=0.1)
    call = await call_of(tenant, plan)
    assert (call["status"], call["end_reason"]) == ("completed", "normal_hangup")
    assert (call["bill_duration"], call["total_cost"]) == (31, cost(plan, 60))
    assert (await balance_of(tenant))["held_usd"] == 0
    assert not await redis.hexists(redis_names.MEDIA, str(plan.call_id))


async def test_a_call_that_nobody_claimed_ends_at_once_and_is_withdrawn(
    tenant: TenantClient, worker: FakeWorker, redis: Redis
) -> None:
    created = await create_call(tenant, await tenant.published_agent())
    answer = await tenant.post(f"/v1/calls/{created['id']}/end")
    assert answer.status_code == 200
    assert "before a worker had taken it" in answer.json()["message"]
    call = (await tenant.get(f"/v1/calls/{created['id']}")).json()
    assert (call["status"], call["total_cost"]) == ("completed", 0)
    assert await worker.claim() is None
    assert await redis.hexists(redis_names.APPLIED, created["id"]), "workers skip such a plan"


async def test_a_call_that_is_over_is_409(
    tenant: TenantClient, worker: FakeWorker, consumer: EventConsumer
) -> None:
    plan = await running_call(tenant, worker, consumer)
    await worker.end(plan, 1_000)
    await catch_up(consumer)
    answer = await tenant.post(f"/v1/calls/{plan.call_id}/end")
    assert (answer.status_code, answer.json()["code"]) == (409, "call_already_over")


async def test_two_requests_at_once_charge_once(
    tenant: TenantClient, worker: FakeWorker, consumer: EventConsumer
) -> None:
    plan = await running_call(tenant, worker, consumer)
    await worker.drop_lease(plan.call_id)
    answers = await asyncio.gather(
        *(tenant.post(f"/v1/calls/{plan.call_id}/end") for _ in range(4))
    )
    assert {answer.status_code for answer in answers} <= {200, 409}
    assert 200 in {answer.status_code for answer in answers}
    transactions = (await tenant.get("/v1/billing/transactions")).json()["transactions"]
    assert [t["transaction_type"] for t in transactions] == ["charge", "grant"]


async def test_without_redis_the_call_is_settled_at_its_last_reading(
    tenant: TenantClient, worker: FakeWorker, consumer: EventConsumer, database: Database
) -> None:
    plan = await running_call(tenant, worker, consumer)
    await worker.meter(plan, 35_000)
    await catch_up(consumer)
    nowhere: Redis = Redis.from_url("redis://127.0.0.1:1")
    await hang_up.hang_up(database, nowhere, tenant.tenant_id, plan.call_id)
    assert (await call_of(tenant, plan))["total_cost"] == cost(plan, 60)


@pytest.mark.parametrize("foreign", [False, True])
async def test_an_unknown_or_foreign_call_is_404(
    tenant: TenantClient, other_tenant: TenantClient, foreign: bool
) -> None:
    call_id = str(uuid4())
    if foreign:
        call_id = (await create_call(other_tenant, await other_tenant.published_agent()))["id"]
    answer = await tenant.post(f"/v1/calls/{call_id}/end")
    assert (answer.status_code, answer.json()["code"]) == (404, "call_not_found")


async def test_a_report_that_comes_after_the_api_ended_the_call_is_no_warning(
    tenant: TenantClient,
    worker: FakeWorker,
    consumer: EventConsumer,
    database: Database,
    redis: Redis,
) -> None:
    plan = await running_call(tenant, worker, consumer)
    await hang_up.hang_up(database, redis, tenant.tenant_id, plan.call_id, reaction_seconds=0.1)
    await worker.end(plan, 30_500, EndReason.NORMAL_HANGUP)
    await catch_up(consumer)
    events = (await tenant.get(f"/v1/calls/{plan.call_id}/events")).json()["events"]
    late = [each for each in events if "after the call was over" in each["message"]]
    assert [each["level"] for each in late] == ["info"]
