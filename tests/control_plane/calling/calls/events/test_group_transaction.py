"""The events of many calls share a transaction, and nothing else."""

from __future__ import annotations

import asyncio

import pytest
from redis.asyncio import Redis

from contracts import redis_names
from contracts.call_plan import CallPlan
from contracts.events import TranscriptSegment
from contracts.money import charge_micros, usd
from control_plane.calling.calls.events.consumer import (
    END_WEIGHT,
    GROUP_WEIGHT,
    EventConsumer,
    groups_of,
)
from control_plane.calling.calls.events.envelope import ReceivedEvent, read_entry
from control_plane.calling.calls.events.metering import PAID_TO_THE_END_MS, is_covered
from control_plane.calling.calls.models import Call
from control_plane.money.billing import repository as ledger
from control_plane.money.billing.audits import repository as audit_repository
from control_plane.platform.database import Database
from tests.control_plane.conftest import TenantClient
from tests.control_plane.conversation import balance_of, call_of, catch_up, read_all, running_call
from tests.control_plane.fake_worker import FakeWorker
from tests.control_plane.owned_books import hold
from tests.control_plane.sent_statements import statements


def said(sequence: int) -> TranscriptSegment:
    return TranscriptSegment(
        sequence=sequence, speaker="user", text=f"word {sequence}", started_at_ms=0, ended_at_ms=1
    )


TOO_LARGE = said(2**70)


async def test_a_call_with_a_bad_event_holds_no_other_call_up(
    tenant: TenantClient, worker: FakeWorker, consumer: EventConsumer
) -> None:
    plans = [await running_call(tenant, worker, consumer) for _ in range(4)]
    for number, plan in enumerate(plans):
        await worker.ship(plan, said(0), TOO_LARGE if number == 2 else said(1), said(2))
        await worker.end(plan, 1_000)
    await catch_up(consumer)
    for number, plan in enumerate(plans):
        call = await call_of(tenant, plan)
        expected = ["word 0", "word 2"] if number == 2 else ["word 0", "word 1", "word 2"]
        assert [s["text"] for s in call["transcript"]["segments"]] == expected
        assert call["status"] == "completed"
    assert (await balance_of(tenant))["held_usd"] == 0


async def test_the_number_of_statements_does_not_grow_with_the_number_of_calls(
    tenant: TenantClient, worker: FakeWorker, consumer: EventConsumer, database: Database
) -> None:
    async def cost(calls: list[CallPlan], at_ms: int) -> int:
        for plan in calls:
            await worker.ship(plan, said(at_ms), said(at_ms + 1))
            await worker.meter(plan, at_ms)
        with statements(database) as sent:
            await catch_up(consumer)
        return len(sent)

    plans = [await running_call(tenant, worker, consumer) for _ in range(6)]
    await cost(plans, 1_000)
    assert await cost(plans[:1], 5_000) == await cost(plans, 10_000) <= 4
    more_credit = 35_000
    assert await cost(plans[:1], more_credit) == await cost(plans[1:], more_credit) <= 12


async def test_calls_that_extend_together_cannot_hold_the_same_credit(
    tenant: TenantClient, worker: FakeWorker, consumer: EventConsumer, database: Database
) -> None:
    plans = [await running_call(tenant, worker, consumer) for _ in range(3)]
    increment = charge_micros(30, plans[0].rate_micros_per_minute)
    available = round((await balance_of(tenant))["available_usd"] * 1e6)
    await hold(database, tenant.tenant_id, available - 2 * increment)
    for plan in plans:
        await worker.meter(plan, 30_000)
    await catch_up(consumer)
    assert (await balance_of(tenant))["available_usd"] == 0
    told = (await worker.told_of_funds())[-3:]
    assert [funds.funded_until_ms for funds in told].count(90_000) == 1
    assert [funds.balance_is_spent for funds in told].count(True) == 1
    for plan in plans:
        await worker.end(plan, 20_000)
    await catch_up(consumer)
    async with database.system_session() as session:
        account = await ledger.locked_account(session, tenant.tenant_id)
        assert account.held_micros == available - 2 * increment
        unbalanced = await audit_repository.unbalanced_accounts(session)
        assert [tenant_id for tenant_id, _ in unbalanced] == [tenant.tenant_id], (
            "only by what the test itself holds"
        )


async def test_groups_of_two_processes_never_wait_for_each_other_in_a_circle(
    tenant: TenantClient, worker: FakeWorker, consumer: EventConsumer, database: Database
) -> None:
    plans = [await running_call(tenant, worker, consumer) for _ in range(6)]
    for plan in plans:
        await worker.meter(plan, 20_000)
        await worker.end(plan, 21_000)
    entries = await read_all(consumer)
    other = EventConsumer(database, consumer.stream._redis)
    await asyncio.gather(
        consumer.consume(entries), other.consume(entries[::-1]), consumer.consume(entries)
    )
    for plan in plans:
        call = await call_of(tenant, plan)
        assert call["total_cost"] == usd(charge_micros(30, plan.rate_micros_per_minute))
    assert (await balance_of(tenant))["held_usd"] == 0


async def test_groups_stay_small_where_calls_end(
    tenant: TenantClient, worker: FakeWorker, consumer: EventConsumer, redis: Redis
) -> None:
    plan = await running_call(tenant, worker, consumer)
    await worker.ship(plan, said(0))
    await worker.end(plan, 1_000)
    quiet, end = [read_entry(entry) for entry in await read_all(consumer)]
    assert isinstance(quiet, ReceivedEvent)
    assert isinstance(end, ReceivedEvent)
    assert [len(g) for g in groups_of([[quiet]] * (GROUP_WEIGHT + 1))] == [GROUP_WEIGHT, 1]
    assert next(len(g) for g in groups_of([[end]] * 30)) == GROUP_WEIGHT // END_WEIGHT
    assert len(groups_of([[quiet] * 10 * GROUP_WEIGHT])) == 1, "a call is never divided"
    assert groups_of([]) == []
    await redis.delete(redis_names.EVENT_STREAM)


@pytest.mark.parametrize(
    ("funded_until_ms", "connected_ms", "covered"),
    [
        (None, 0, False),
        (60_000, 0, False),
        (90_000, 0, True),
        (90_000, 25_000, True),
        (90_000, 25_001, False),
        (PAID_TO_THE_END_MS, 10**12, True),
    ],
)
def test_a_reading_asks_the_ledger_only_when_it_needs_another_increment(
    funded_until_ms: int | None, connected_ms: int, covered: bool
) -> None:
    assert is_covered(Call(funded_until_ms=funded_until_ms), connected_ms) is covered
