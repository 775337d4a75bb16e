"""What a call may cost, whatever its worker reports and however late that is applied."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest
from sqlalchemy import select

from contracts.call_plan import CallPlan
from contracts.money import MICROS_PER_USD, charge_micros, usd
from control_plane.calling.calls import connected_time
from control_plane.calling.calls.events.consumer import EventConsumer
from control_plane.calling.calls.models import ParkedEvent
from control_plane.money.billing import service as billing
from control_plane.money.billing.audits import repository as audit_repository
from control_plane.platform.database import Database
from tests.control_plane.conftest import TenantClient
from tests.control_plane.conversation import balance_of, call_of, catch_up, claimed_call
from tests.control_plane.fake_worker import FakeWorker


async def call_on(
    micros: int, tenant: TenantClient, worker: FakeWorker, database: Database
) -> CallPlan:
    """A started call of a tenant that has so much credit, with what the call itself holds."""
    plan = await claimed_call(tenant, worker)
    welcome = round((await balance_of(tenant))["balance_usd"] * MICROS_PER_USD)
    async with database.system_session() as session:
        await billing.adjust(
            session,
            tenant.tenant_id,
            "debit",
            micros - welcome,
            "Taken back",
            reference="test",
            details={},
        )
    await worker.start(plan)
    return plan


def increment_of(plan: CallPlan) -> int:
    return charge_micros(30, plan.rate_micros_per_minute)


async def assert_books_balance(database: Database) -> None:
    async with database.system_session() as session:
        assert await audit_repository.unbalanced_accounts(session) == []


async def test_a_consumer_that_lags_overdraws_nothing(
    tenant: TenantClient, worker: FakeWorker, consumer: EventConsumer, database: Database
) -> None:
    plan = await call_on(10_500, tenant, worker, database)
    for connected_ms in range(5_000, 120_000, 5_000):
        await worker.meter(plan, connected_ms)
    await worker.end(plan, 120_000)
    await catch_up(consumer)
    call = await call_of(tenant, plan)
    assert (call["total_cost"], call["billable_seconds"]) == (usd(increment_of(plan)), 30)
    balance = await balance_of(tenant)
    assert (balance["balance_usd"], balance["held_usd"]) == (0.0005, 0)
    last = call["events"][-1]
    assert last["message"] == "The balance did not cover another 90 seconds, which are not charged"
    await assert_books_balance(database)


async def test_the_plan_and_each_answer_say_how_much_is_paid_for(
    tenant: TenantClient, worker: FakeWorker, consumer: EventConsumer, database: Database
) -> None:
    plan = await call_on(4 * 10_000, tenant, worker, database)
    assert worker.offers[plan.call_id].funded_until_ms == 30_000
    await catch_up(consumer)
    for connected_ms in (5_000, 35_000, 65_000, 70_000):
        await worker.meter(plan, connected_ms)
        await catch_up(consumer)
    told = [(each.funded_until_ms, each.balance_is_spent) for each in await worker.told_of_funds()]
    assert told == [
        (90_000, False),
        (90_000, False),
        (120_000, False),
        (120_000, True),
        (120_000, True),
    ], "the first word and the last are repeated, because a command may be lost"


async def test_a_call_holds_no_more_than_its_longest_duration_costs(
    tenant: TenantClient, worker: FakeWorker, consumer: EventConsumer
) -> None:
    agent_id = await tenant.published_agent(advanced={"maxCallDuration": 30})
    caller = {"transport": "webrtc", "identity": "ada"}
    wanted = {"agent_id": str(agent_id), "participants": [caller]}
    assert (await tenant.post("/v1/calls", wanted)).status_code == 201
    plan = await worker.claim()
    assert plan is not None
    await worker.start(plan)
    await worker.meter(plan, 20_000)
    await catch_up(consumer)
    assert (await balance_of(tenant))["held_usd"] == usd(increment_of(plan))
    assert await worker.commands() == []
    assert not any(each.balance_is_spent for each in await worker.told_of_funds())


@pytest.mark.parametrize("forged_ms", [10**12, 2**62])
async def test_connected_time_beyond_the_plans_maximum_is_parked_and_not_billed(
    tenant: TenantClient,
    worker: FakeWorker,
    consumer: EventConsumer,
    database: Database,
    forged_ms: int,
) -> None:
    plan = await claimed_call(tenant, worker)
    await worker.start(plan)
    await worker.meter(plan, forged_ms)
    await worker.end(plan, forged_ms)
    await catch_up(consumer)
    call = await call_of(tenant, plan)
    longest = plan.limits.max_duration_seconds
    assert (call["status"], call["bill_duration"]) == ("completed", longest)
    assert call["total_cost"] == usd(charge_micros(longest, plan.rate_micros_per_minute))
    [alarm] = [event for event in call["events"] if event["level"] == "error"]
    assert alarm["source"] == "lifecycle"
    assert "the rest is not billed" in alarm["message"]
    async with database.system_session() as session:
        [parked] = (await session.scalars(select(ParkedEvent))).all()
    assert json.loads(parked.document)["body"]["connected_ms"] == forged_ms
    assert parked.stream_entry_id == f"connected-time:{plan.call_id}"
    await assert_books_balance(database)


async def test_connected_time_beyond_the_wall_clock_is_not_billed(
    tenant: TenantClient,
    worker: FakeWorker,
    consumer: EventConsumer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(connected_time, "CLOCK_TOLERANCE", timedelta(seconds=10))
    plan = await claimed_call(tenant, worker)
    await worker.start(plan)
    await worker.meter(plan, 400_000)
    await catch_up(consumer)
    assert (await balance_of(tenant))["held_usd"] <= 3 * usd(increment_of(plan))
    await worker.end(plan, 400_000)
    await catch_up(consumer)
    call = await call_of(tenant, plan)
    assert 10 <= call["bill_duration"] <= 30
    assert call["total_cost"] == usd(increment_of(plan))


async def test_a_dead_workers_forged_position_is_not_billed(
    tenant: TenantClient, worker: FakeWorker, consumer: EventConsumer
) -> None:
    plan = await claimed_call(tenant, worker)
    await worker.start(plan)
    await catch_up(consumer)
    await worker.report_position(plan, 10**12)
    await worker.drop_lease(plan.call_id)
    assert (await tenant.post(f"/v1/calls/{plan.call_id}/end")).status_code == 200
    call = await call_of(tenant, plan)
    longest = plan.limits.max_duration_seconds
    assert call["total_cost"] == usd(charge_micros(longest, plan.rate_micros_per_minute))
