"""A phone call from the queue to its end, through a real bridge process's code, Redis and
PostgreSQL."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import text

from control_plane.calling.calls.events.consumer import EventConsumer
from control_plane.calling.dialing.models import JobState
from control_plane.calling.dialing.retry import RetryRule, RetryRules
from control_plane.calling.dialing.schedule import Schedule
from control_plane.money.billing import service as billing
from control_plane.money.billing.errors import InsufficientCredits
from control_plane.platform.database import Database
from tests.control_plane.calling.dialing.phone import CALLEE, Phones
from tests.control_plane.conftest import TenantClient
from tests.control_plane.conversation import balance_of, catch_up
from tests.control_plane.fake_worker import FakeWorker
from tests.runtime.until import until
from tests.runtime.working import working
from tests.stand_ins.simulated_carrier import (
    BUSY,
    FAILS,
    LOSES_CONNECTION,
    NO_ANSWER,
    REJECTS,
    UNREACHABLE,
    Behaviour,
)

THREE_TIMES = RetryRules(
    busy=RetryRule(attempts=3, wait_seconds=300), no_answer=RetryRule(attempts=3, wait_seconds=300)
)


async def test_an_answered_phone_gets_an_agent(
    tenant: TenantClient,
    phones: Phones,
    worker: FakeWorker,
    consumer: EventConsumer,
) -> None:
    call_id = await phones.queue(tenant, await phones.agent(tenant))
    assert await worker.claim() is None, "no worker is asked before somebody answers"

    await phones.until_answered(call_id)
    plan = await worker.claim()
    assert plan is not None
    assert plan.call_id == call_id
    await worker.start(plan)
    await catch_up(consumer)
    shown = (await tenant.get(f"/v1/calls/{call_id}")).json()
    assert shown["status"] == "in_progress"
    assert (await phones.job(call_id)).state == JobState.ACTIVE

    await worker.end(plan, 42_000)
    await catch_up(consumer)
    await phones.until_closed(call_id)
    assert phones.carrier.open_lines == 0, "the phone is hung up after the call"
    assert (await phones.job(call_id)).state == JobState.COMPLETED
    shown = (await tenant.get(f"/v1/calls/{call_id}")).json()
    assert (shown["status"], shown["billable_seconds"]) == ("completed", 60)


@pytest.mark.parametrize("waited_seconds", [40, 600])
async def test_a_phone_answered_long_after_its_post_gets_its_agent(
    tenant: TenantClient,
    phones: Phones,
    consumer: EventConsumer,
    database: Database,
    valkey_url: str,
    tmp_path: Path,
    waited_seconds: int,
) -> None:
    call_id = await phones.queue(tenant, await phones.agent(tenant))
    async with database.system_session() as session:
        await session.execute(
            text(
                "UPDATE calls SET created_at = created_at - :waited, plan = jsonb_set(plan,"
                " '{created_at}', to_jsonb((plan->>'created_at')::timestamptz - :waited))"
            ),
            {"waited": timedelta(seconds=waited_seconds)},
        )
    await phones.until_answered(call_id)
    async with working(valkey_url, tmp_path) as running:
        await until(lambda: call_id in running.media.rooms)
    await catch_up(consumer)
    shown = (await tenant.get(f"/v1/calls/{call_id}")).json()
    assert shown["end_reason"] is None, "a worker that has no sound of it yet gives it back"


@pytest.mark.parametrize(
    ("behaviour", "status", "end_reason"),
    [
        (BUSY, "busy", "simulated_busy"),
        (NO_ANSWER, "no_answer", "simulated_no_answer"),
        (REJECTS, "busy", "simulated_rejected"),
        (UNREACHABLE, "failed", "simulated_unreachable"),
    ],
)
async def test_a_phone_that_is_not_reached_ends_the_call(
    tenant: TenantClient,
    phones: Phones,
    behaviour: Behaviour,
    status: str,
    end_reason: str,
) -> None:
    phones.carrier.tell(CALLEE, behaviour)
    call_id = await phones.queue(tenant, await phones.agent(tenant))
    call = await phones.until_status(tenant, str(call_id), status)
    assert call["end_reason"] == end_reason
    assert (call["total_cost"], call["billable_seconds"]) == (0, 0)
    job = await phones.job(call_id)
    assert (job.state, job.attempts) == (JobState.FAILED, 1)


async def test_a_busy_phone_is_dialed_again_as_the_rules_say(
    tenant: TenantClient, phones: Phones
) -> None:
    phones.carrier.tell(CALLEE, BUSY)
    call_id = await phones.queue(tenant, await phones.agent(tenant), retry=THREE_TIMES)
    for attempts in (1, 2):
        job = await phones.until_waiting(call_id, attempts)
        assert timedelta(seconds=240) < job.due_at - datetime.now(UTC) < timedelta(seconds=300)
        shown = (await tenant.get(f"/v1/calls/{call_id}")).json()
        assert shown["status"] == "queued"
        await phones.step()
        assert len(phones.carrier.dialed) == attempts, "not before it is due"
        await phones.step(timedelta(seconds=300))
    call = await phones.until_status(tenant, str(call_id), "busy")
    assert call["end_reason"] == "simulated_busy"
    assert len(phones.carrier.dialed) == 3


@pytest.mark.parametrize("trouble", [FAILS, LOSES_CONNECTION])
async def test_trouble_with_the_carrier_is_tried_again(
    tenant: TenantClient, phones: Phones, trouble: Behaviour
) -> None:
    phones.carrier.tell(CALLEE, trouble, Behaviour())
    call_id = await phones.queue(tenant, await phones.agent(tenant))
    await phones.until_waiting(call_id, 1)
    await phones.step(timedelta(seconds=15))
    await phones.until_answered(call_id)
    assert len(phones.carrier.dialed) == 2


async def test_a_carrier_that_says_everything_twice_changes_nothing(
    tenant: TenantClient, phones: Phones
) -> None:
    phones.carrier.tell(CALLEE, Behaviour(repeats=True))
    call_id = await phones.queue(tenant, await phones.agent(tenant))
    await phones.until_answered(call_id)
    events = (await tenant.get(f"/v1/calls/{call_id}/events")).json()["events"]
    said = [event["message"] for event in events if event["source"] == "telephony"]
    assert said == ["A phone is being dialed", "A phone rings", "A phone was answered"]


async def test_a_queued_phone_holds_no_credit_until_it_is_dialed(
    tenant: TenantClient, phones: Phones
) -> None:
    later = Schedule(not_before=datetime.now(UTC) + timedelta(hours=1))
    await phones.queue(tenant, await phones.agent(tenant), schedule=later)
    assert (await balance_of(tenant))["held_usd"] == 0
    await phones.step(timedelta(hours=2))
    assert (await balance_of(tenant))["held_usd"] == 0.01


async def test_between_two_attempts_a_phone_holds_no_credit(
    tenant: TenantClient, phones: Phones
) -> None:
    phones.carrier.tell(CALLEE, BUSY)
    call_id = await phones.queue(tenant, await phones.agent(tenant), retry=THREE_TIMES)
    await phones.until_waiting(call_id, 1)
    assert (await balance_of(tenant))["held_usd"] == 0
    await phones.step(timedelta(seconds=300))
    await phones.until_waiting(call_id, 2)
    assert (await balance_of(tenant))["held_usd"] == 0


async def test_a_phone_that_the_balance_does_not_cover_is_not_dialed(
    tenant: TenantClient, phones: Phones
) -> None:
    agent_id = await phones.agent(tenant)
    call_id = await phones.queue(tenant, agent_id)
    async with phones.database.system_session() as session:
        await billing.adjust(
            session, tenant.tenant_id, "debit", -9_995_000, "Refund", reference="r", details={}
        )
    call = await phones.until_status(tenant, str(call_id), "failed")
    assert call["end_reason"] == "insufficient_funds"
    assert (call["total_cost"], call["billable_seconds"]) == (0, 0)
    assert phones.carrier.dialed == []
    assert (await phones.job(call_id)).state == JobState.FAILED
    said = [event["message"] for event in call["events"] if event["source"] == "telephony"]
    assert said == [f"{CALLEE} is not dialed: the balance does not cover its first 30 seconds"]
    balance = await balance_of(tenant)
    assert (balance["held_usd"], balance["balance_usd"]) == (0, 0.005)


async def test_no_phone_is_queued_without_credit_for_its_first_increment(
    tenant: TenantClient, phones: Phones
) -> None:
    agent_id = await phones.agent(tenant)
    async with phones.database.system_session() as session:
        await billing.adjust(
            session, tenant.tenant_id, "debit", -9_995_000, "Refund", reference="r", details={}
        )
    with pytest.raises(InsufficientCredits):
        await phones.queue(tenant, agent_id)


async def test_an_answered_phone_has_its_first_increment_reserved(
    tenant: TenantClient, phones: Phones, worker: FakeWorker, consumer: EventConsumer
) -> None:
    phones.carrier.tell(CALLEE, BUSY, Behaviour())
    call_id = await phones.queue(tenant, await phones.agent(tenant), retry=THREE_TIMES)
    await phones.until_waiting(call_id, 1)
    await phones.step(timedelta(seconds=300))
    await phones.until_answered(call_id)
    assert (await balance_of(tenant))["held_usd"] == 0.01
    plan = await worker.claim()
    assert plan is not None
    assert worker.offers[plan.call_id].funded_until_ms == 30_000
