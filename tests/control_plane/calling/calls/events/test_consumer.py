"""Every event is applied exactly once, in order, whatever becomes of the stream meanwhile."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any
from uuid import uuid4

import pytest
from redis.asyncio import Redis
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession
from structlog.testing import capture_logs

from contracts import redis_names
from contracts.call_plan import CallPlan
from contracts.commands import EndCall
from contracts.end_reasons import EndReason
from contracts.events import CallEvent, CallMetered, Logged, PhoneWanted, TranscriptSegment
from contracts.money import charge_micros, usd
from control_plane.calling.calls.events import consumer as event_consumer
from control_plane.calling.calls.events.consumer import EventConsumer
from control_plane.calling.calls.events.envelope import ReceivedEvent, Unreadable, read_entry
from control_plane.calling.calls.events.unreadable_events import PATIENCE_SECONDS
from control_plane.calling.calls.models import ParkedEvent
from control_plane.money.billing import repository as ledger
from control_plane.platform.database import Database
from control_plane.platform.errors import DatabaseUnavailable
from control_plane.platform.link.applied_cursors import APPLIED_MEMORY_SECONDS, forget_applied
from link.stream_entry import StreamEntry
from tests.control_plane.conftest import TenantClient
from tests.control_plane.conversation import (
    balance_of,
    call_of,
    catch_up,
    claimed_call,
    running_call,
)
from tests.control_plane.fake_worker import FakeWorker
from tests.control_plane.owned_books import hold


def said(sequence: int) -> TranscriptSegment:
    return TranscriptSegment(
        sequence=sequence, speaker="user", text=f"word {sequence}", started_at_ms=0, ended_at_ms=1
    )


async def words(tenant: TenantClient, plan: CallPlan) -> list[str]:
    return [s["text"] for s in (await call_of(tenant, plan))["transcript"]["segments"]]


async def parked(database: Database) -> list[ParkedEvent]:
    async with database.system_session() as session:
        return list((await session.scalars(select(ParkedEvent).order_by(ParkedEvent.id))).all())


async def messages(tenant: TenantClient, plan: CallPlan) -> list[str]:
    return [event["message"] for event in (await call_of(tenant, plan))["events"]]


async def test_applied_events_leave_the_stream_and_move_the_cursor(
    tenant: TenantClient, worker: FakeWorker, consumer: EventConsumer, redis: Redis
) -> None:
    plan = await running_call(tenant, worker, consumer)
    assert await redis.xlen(redis_names.EVENT_STREAM) == 0
    assert await worker.applied_seq(plan.call_id) == 2
    await worker.report_position(plan, 1_000)
    await worker.end(plan, 1_000)
    await catch_up(consumer)
    assert await worker.applied_seq(plan.call_id) == 3
    assert not await redis.hexists(redis_names.MEDIA, str(plan.call_id))
    await forget_applied(redis, time.time() + APPLIED_MEMORY_SECONDS + 5)
    assert await worker.applied_seq(plan.call_id) is None, "it is forgotten when it is long over"


async def test_a_journal_shipped_again_changes_nothing(
    tenant: TenantClient, worker: FakeWorker, consumer: EventConsumer, redis: Redis
) -> None:
    plan = await running_call(tenant, worker, consumer)
    await worker.ship(plan, said(0), Logged(level="info", message="once"))
    await worker.end(plan, 45_000)
    await catch_up(consumer)
    before = await call_of(tenant, plan), await balance_of(tenant)
    await redis.hdel(redis_names.APPLIED, str(plan.call_id))
    await worker.ship_journal(plan)
    await catch_up(consumer)
    assert (await call_of(tenant, plan), await balance_of(tenant)) == before
    assert await worker.applied_seq(plan.call_id) == len(worker.journal[plan.call_id])
    assert await redis.xlen(redis_names.EVENT_STREAM) == 0


async def test_an_event_behind_a_gap_waits_for_what_is_missing(
    tenant: TenantClient, worker: FakeWorker, consumer: EventConsumer, redis: Redis
) -> None:
    plan = await running_call(tenant, worker, consumer)
    missing = worker.note(plan, said(0))
    await worker.ship(plan, said(1))
    await worker.end(plan, 1_000)
    await catch_up(consumer)
    assert (await call_of(tenant, plan))["status"] == "in_progress"
    assert await redis.xlen(redis_names.EVENT_STREAM) == 2

    await worker.ship_event(missing)
    await catch_up(consumer)
    await consumer.sweep(min_idle_ms=0)
    assert await words(tenant, plan) == ["word 0", "word 1"]
    assert (await call_of(tenant, plan))["status"] == "completed"
    assert await redis.xlen(redis_names.EVENT_STREAM) == 0


async def test_an_event_whose_gap_is_never_filled_does_not_stay_for_ever(
    tenant: TenantClient, worker: FakeWorker, database: Database, redis: Redis
) -> None:
    now_ms = 0
    consumer = EventConsumer(database, redis, now_ms=lambda: now_ms)
    plan = await running_call(tenant, worker, consumer)
    worker.note(plan, said(0))
    await worker.ship(plan, said(1))
    await catch_up(consumer)
    await consumer.sweep(min_idle_ms=0)
    assert await redis.xlen(redis_names.EVENT_STREAM) == 1
    now_ms = 2**43
    await consumer.sweep(min_idle_ms=0)
    assert await redis.xlen(redis_names.EVENT_STREAM) == 0
    await worker.ship_journal(plan)
    await catch_up(consumer)
    assert await words(tenant, plan) == ["word 0", "word 1"]


async def test_what_another_process_read_and_did_not_finish_is_taken_over(
    tenant: TenantClient, worker: FakeWorker, consumer: EventConsumer, redis: Redis
) -> None:
    plan = await running_call(tenant, worker, consumer)
    await worker.ship(plan, said(0))
    await redis.xreadgroup(redis_names.EVENT_GROUP, "died since", {redis_names.EVENT_STREAM: ">"})
    await consumer.sweep(min_idle_ms=0)
    assert await words(tenant, plan) == ["word 0"]


@pytest.mark.parametrize(
    "document",
    ["", "not json", "[]", "{}", '{"call_id": 5}', '{"version": 99, "secret": "\\u0000"}'],
)
async def test_rubbish_is_parked_and_blocks_nothing(
    tenant: TenantClient,
    worker: FakeWorker,
    consumer: EventConsumer,
    database: Database,
    redis: Redis,
    document: str,
) -> None:
    await worker.ship_document(document)
    plan = await running_call(tenant, worker, consumer)
    [entry] = await parked(database)
    assert entry.reason.startswith("not an event")
    assert entry.document == document.replace("\x00", "")
    assert (await call_of(tenant, plan))["status"] == "in_progress"
    assert await redis.xlen(redis_names.EVENT_STREAM) == 0


def of_a_later_release(event: CallEvent) -> str:
    unknown: dict[str, Any] = json.loads(event.model_dump_json())
    return json.dumps(unknown | {"body": {"type": "hologram.projected"}})


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


async def test_an_event_that_no_process_can_read_is_parked_in_time_and_passed_over(
    tenant: TenantClient, worker: FakeWorker, redis: Redis, database: Database
) -> None:
    clock = Clock()
    consumer = EventConsumer(database, redis, clock=clock)
    plan = await running_call(tenant, worker, consumer)
    unknown = of_a_later_release(worker.note(plan, said(0)))
    with capture_logs() as log:
        await worker.ship_document(unknown)
        await worker.ship(plan, said(1))
        await worker.end(plan, 1_000)
        await catch_up(consumer)
        await consumer.sweep(min_idle_ms=0)
        assert await parked(database) == []
        assert await redis.xlen(redis_names.EVENT_STREAM) == 3, "others may be able to read it"
        clock.now = PATIENCE_SECONDS
        await consumer.sweep(min_idle_ms=0)
    assert await words(tenant, plan) == ["word 1"]
    assert (await call_of(tenant, plan))["status"] == "completed"
    assert [entry.document for entry in await parked(database)] == [unknown]
    assert [(e["call_id"], e["seq"]) for e in log if e["event"] == "event_unreadable"] == [
        (str(plan.call_id), 3)
    ]
    assert consumer.unreadable.count == 1


async def test_an_event_that_cannot_be_read_does_not_stop_other_calls(
    tenant: TenantClient, worker: FakeWorker, consumer: EventConsumer
) -> None:
    blocked = await running_call(tenant, worker, consumer)
    other = await running_call(tenant, worker, consumer)
    await worker.ship_document(of_a_later_release(worker.note(blocked, said(0))))
    await worker.ship(blocked, said(1))
    await worker.ship(other, said(0))
    await catch_up(consumer)
    assert await words(tenant, blocked) == []
    assert await words(tenant, other) == ["word 0"]


async def test_what_an_older_process_cannot_read_is_applied_by_a_newer_one(
    tenant: TenantClient,
    worker: FakeWorker,
    consumer: EventConsumer,
    database: Database,
    redis: Redis,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The older release here is one that does not know transcript segments."""
    plan = await running_call(tenant, worker, consumer)

    def read_as_before(entry: StreamEntry) -> ReceivedEvent | Unreadable:
        received = read_entry(entry)
        assert isinstance(received, ReceivedEvent)
        assert received.event is not None
        if isinstance(received.event.body, TranscriptSegment):
            return replace(received, event=None, fault="not an event: body")
        return received

    await worker.ship(plan, said(0))
    await worker.end(plan, 1_000)
    with monkeypatch.context() as older:
        older.setattr(event_consumer, "read_entry", read_as_before)
        await catch_up(consumer)
        assert (await call_of(tenant, plan))["status"] == "in_progress"
    newer = EventConsumer(database, redis)
    await newer.sweep()
    assert await words(tenant, plan) == ["word 0"], "at once, not after the older one's idle time"
    await newer.sweep(min_idle_ms=0)
    assert (await call_of(tenant, plan))["status"] == "completed"
    assert await parked(database) == []


async def test_events_behind_one_that_cannot_be_read_are_not_dropped_as_behind_a_gap(
    tenant: TenantClient, worker: FakeWorker, database: Database, redis: Redis
) -> None:
    """As when the consumers were down for longer than gaps are waited for."""
    consumer = EventConsumer(database, redis, now_ms=lambda: 2**43, clock=Clock())
    plan = await running_call(tenant, worker, consumer)
    await worker.ship_document(of_a_later_release(worker.note(plan, said(0))))
    await worker.ship(plan, said(1))
    await catch_up(consumer)
    await consumer.sweep(min_idle_ms=0)
    assert await redis.xlen(redis_names.EVENT_STREAM) == 2


async def test_a_field_of_a_later_release_does_not_keep_an_event_from_being_applied(
    tenant: TenantClient, worker: FakeWorker, consumer: EventConsumer, database: Database
) -> None:
    plan = await running_call(tenant, worker, consumer)
    event = json.loads(worker.note(plan, said(0)).model_dump_json())
    event["body"]["mood"] = event["mood"] = "sunny"
    await worker.ship_document(json.dumps(event))
    await catch_up(consumer)
    assert await words(tenant, plan) == ["word 0"]
    assert await parked(database) == []


async def test_an_event_that_cannot_be_stored_is_passed_over_in_its_turn(
    tenant: TenantClient, worker: FakeWorker, consumer: EventConsumer, database: Database
) -> None:
    plan = await running_call(tenant, worker, consumer)
    too_large = TranscriptSegment(
        sequence=2**70, speaker="user", text="x", started_at_ms=0, ended_at_ms=1
    )
    await worker.ship(plan, said(0), too_large, said(1))
    await worker.end(plan, 1_000)
    await catch_up(consumer)
    assert await words(tenant, plan) == ["word 0", "word 1"]
    assert (await call_of(tenant, plan))["status"] == "completed"
    assert [e.reason[:14] for e in await parked(database)] == ["not applicable"]


async def test_an_event_whose_job_cannot_be_stored_is_passed_over_in_its_turn(
    tenant: TenantClient, worker: FakeWorker, consumer: EventConsumer, database: Database
) -> None:
    plan = await running_call(tenant, worker, consumer)
    wanted = PhoneWanted(participant_id=uuid4(), to_number="+1415\x00")
    await worker.ship(plan, CallMetered(connected_ms=1_000, phone=wanted), said(0))
    await worker.end(plan, 2_000)
    await catch_up(consumer)
    assert await words(tenant, plan) == ["word 0"]
    assert (await call_of(tenant, plan))["status"] == "completed"
    assert [e.reason[:14] for e in await parked(database)] == ["not applicable"]


async def test_events_of_a_call_that_does_not_exist_are_parked_and_reported_as_applied(
    tenant: TenantClient, worker: FakeWorker, consumer: EventConsumer, database: Database
) -> None:
    plan = await claimed_call(tenant, worker)
    await catch_up(consumer)
    ghost = plan.model_copy(update={"call_id": uuid4()})
    await worker.start(ghost)
    await catch_up(consumer)
    assert [e.reason for e in await parked(database)] == ["no such call of this tenant"]
    assert await worker.applied_seq(ghost.call_id) == 1, "or it is shipped for ever"


async def test_the_log_names_the_call_of_a_parked_event(
    tenant: TenantClient, worker: FakeWorker, consumer: EventConsumer
) -> None:
    """A search for a call finds what it lacks."""
    plan = await claimed_call(tenant, worker)
    await catch_up(consumer)
    ghost = plan.model_copy(update={"call_id": uuid4()})
    await worker.start(ghost)
    await worker.ship_document("rubbish")
    with capture_logs() as logs:
        await catch_up(consumer)
    named = {entry["call_id"] for entry in logs if entry["event"] == "event_parked"}
    assert named == {str(ghost.call_id), None}


async def test_another_tenants_event_does_not_touch_the_call(
    tenant: TenantClient,
    other_tenant: TenantClient,
    worker: FakeWorker,
    consumer: EventConsumer,
) -> None:
    plan = await claimed_call(tenant, worker)
    await catch_up(consumer)
    await worker.start(plan.model_copy(update={"tenant_id": other_tenant.tenant_id}))
    await catch_up(consumer)
    assert (await call_of(tenant, plan))["status"] == "connecting"
    assert await worker.applied_seq(plan.call_id) == 1


async def test_the_group_is_made_again_when_redis_has_lost_it(
    tenant: TenantClient, worker: FakeWorker, consumer: EventConsumer, redis: Redis
) -> None:
    plan = await running_call(tenant, worker, consumer)
    await redis.flushall()
    await worker.ship_journal(plan)
    await worker.ship(plan, said(0))
    await catch_up(consumer)
    await consumer.sweep(min_idle_ms=0)
    assert await words(tenant, plan) == ["word 0"]


class FlakyDatabase(Database):
    """A database that is away for the next ``outage`` transactions."""

    outage = 0

    @asynccontextmanager
    async def system_session(self) -> AsyncIterator[AsyncSession]:
        async with super().system_session() as session:
            yield session
            if self.outage:
                self.outage -= 1
                raise DatabaseUnavailable


@pytest.mark.usefixtures("simulated_time")
async def test_nothing_leaves_the_stream_while_the_database_is_away(
    tenant: TenantClient,
    worker: FakeWorker,
    redis: Redis,
    postgres_url: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Lost right before each commit, three times: rolled back, retried, applied once."""
    monkeypatch.setattr(event_consumer, "FIRST_RETRY_SECONDS", 0.0)
    flaky = FlakyDatabase(postgres_url, deadline_seconds=5)
    consumer = EventConsumer(flaky, redis)
    plan = await running_call(tenant, worker, consumer)
    await worker.ship(plan, said(0))
    await worker.end(plan, 61_000)
    flaky.outage = 3
    await catch_up(consumer)
    assert flaky.outage == 0
    call = await call_of(tenant, plan)
    assert call["total_cost"] == usd(charge_micros(90, plan.rate_micros_per_minute))
    assert await words(tenant, plan) == ["word 0"]
    assert (await messages(tenant, plan)).count("Call ended: participant_disconnected") == 1
    await flaky.aclose()


async def test_two_consumers_apply_each_event_once(
    tenant: TenantClient, worker: FakeWorker, consumer: EventConsumer, database: Database
) -> None:
    plan = await running_call(tenant, worker, consumer)
    await worker.ship(plan, *(said(n) for n in range(20)))
    await worker.end(plan, 1_000)
    entries = await consumer.stream.read_new()
    second = EventConsumer(database, consumer.stream._redis)
    await asyncio.gather(consumer.consume(entries), second.consume(entries))
    await asyncio.gather(*(consumer.consume([entry]) for entry in reversed(entries)))
    assert await words(tenant, plan) == [f"word {n}" for n in range(20)]
    assert (await balance_of(tenant))["held_usd"] == 0
    entries_shown = (await tenant.get("/v1/billing/transactions")).json()["transactions"]
    assert [e["transaction_type"] for e in entries_shown].count("charge") == 1


async def test_the_reserve_follows_the_meter(
    tenant: TenantClient, worker: FakeWorker, consumer: EventConsumer
) -> None:
    plan = await running_call(tenant, worker, consumer)
    await worker.meter(plan, 5_000)
    await catch_up(consumer)
    first = (await balance_of(tenant))["held_usd"]
    await worker.meter(plan, 25_000)
    await catch_up(consumer)
    assert (await balance_of(tenant))["held_usd"] == first
    await worker.meter(plan, 30_000)
    await catch_up(consumer)
    held = (await balance_of(tenant))["held_usd"]
    assert held == usd(charge_micros(120, plan.rate_micros_per_minute))
    assert await worker.commands() == []
    told = await worker.told_of_funds()
    assert [funds.funded_until_ms for funds in told] == [90_000, 90_000, 120_000]
    assert not any(funds.balance_is_spent for funds in told)


async def test_a_caller_whose_credit_runs_out_is_said_goodbye_to(
    tenant: TenantClient, worker: FakeWorker, consumer: EventConsumer, database: Database
) -> None:
    plan = await claimed_call(tenant, worker)
    async with database.system_session() as session:
        account = await ledger.locked_account(session, tenant.tenant_id)
    # Another call holds everything that is left.
    await hold(database, tenant.tenant_id, account.available_micros)
    await worker.start(plan)
    await worker.meter(plan, 20_000)
    await catch_up(consumer)
    assert await worker.commands() == [], "what is paid for is delivered in full"
    told = (await worker.told_of_funds())[-1]
    assert (told.funded_until_ms, told.balance_is_spent) == (30_000, True)
    # A worker that does not count its funds.
    await worker.meter(plan, 26_000)
    await catch_up(consumer)
    [command] = await worker.commands()
    assert isinstance(command.body, EndCall)
    assert command.body.end_reason is EndReason.INSUFFICIENT_FUNDS
    assert command.body.farewell
    assert command.call_id == plan.call_id
    assert (await call_of(tenant, plan))["status"] == "in_progress"

    await worker.end(plan, 33_000, EndReason.INSUFFICIENT_FUNDS)
    await catch_up(consumer)
    call = await call_of(tenant, plan)
    assert (call["status"], call["end_reason"]) == ("failed", "insufficient_funds")
    assert call["total_cost"] == usd(charge_micros(30, plan.rate_micros_per_minute))


async def test_a_worker_that_runs_a_call_that_is_over_is_told(
    tenant: TenantClient, worker: FakeWorker, consumer: EventConsumer
) -> None:
    plan = await running_call(tenant, worker, consumer)
    await worker.drop_lease(plan.call_id)
    assert (await tenant.post(f"/v1/calls/{plan.call_id}/end")).status_code == 200
    await worker.meter(plan, 5_000)
    await catch_up(consumer)
    assert [type(command.body) for command in await worker.commands()] == [EndCall]


async def test_late_events_add_to_the_transcript_but_not_to_the_bill(
    tenant: TenantClient, worker: FakeWorker, consumer: EventConsumer
) -> None:
    plan = await running_call(tenant, worker, consumer)
    await worker.drop_lease(plan.call_id)
    assert (await tenant.post(f"/v1/calls/{plan.call_id}/end")).status_code == 200
    before = await balance_of(tenant)
    await worker.ship(plan, said(0), Logged(level="info", message="late"))
    await worker.end(plan, 600_000)
    await catch_up(consumer)
    call = await call_of(tenant, plan)
    assert await words(tenant, plan) == ["word 0"]
    assert "late" in await messages(tenant, plan)
    assert call["end_reason"] == "normal_hangup"
    assert await balance_of(tenant) == before


async def test_calls_do_not_wait_for_each_other(
    tenant: TenantClient, worker: FakeWorker, consumer: EventConsumer
) -> None:
    plans = [await claimed_call(tenant, worker) for _ in range(5)]
    for plan in plans:
        await worker.start(plan)
    for plan in plans:
        await worker.end(plan, 1_000)
    await catch_up(consumer)
    statuses = {(await call_of(tenant, plan))["status"] for plan in plans}
    assert statuses == {"completed"}
    assert (await balance_of(tenant))["held_usd"] == 0
