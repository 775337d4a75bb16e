"""The reaper over PostgreSQL and Valkey: lost calls end with a bill, nothing else is touched."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest
from redis.asyncio import Redis
from redis.exceptions import ResponseError
from sqlalchemy import text
from structlog.testing import capture_logs

from contracts import redis_names
from contracts.call_plan import CallPlan
from contracts.commands import EndCall
from contracts.end_reasons import EndReason
from contracts.events import CallEnded, CallMetered, TranscriptSegment
from contracts.money import charge_micros, usd
from control_plane.calling.calls.events.consumer import EventConsumer
from control_plane.calling.reaper.clear_view import ClearView
from control_plane.calling.reaper.reaper import Reaper
from control_plane.operator.ending_calls import request_ends
from control_plane.platform.database import Database
from runtime.link.dispatch import RECLAIM_IDLE_MS, dispatch_group
from tests.control_plane.conftest import TenantClient
from tests.control_plane.conversation import (
    balance_of,
    call_of,
    catch_up,
    claimed_call,
    create_call,
    running_call,
)
from tests.control_plane.fake_worker import FakeWorker


@pytest.fixture
def reaper(database: Database, redis: Redis) -> Reaper:
    """Trusts every lease from the first look on."""
    return Reaper(database, redis, 30, ClearView(0, clock=lambda: 0))


async def age(database: Database, plan: CallPlan, column: str, by: timedelta) -> None:
    async with database.system_session() as session:
        await session.execute(
            text(f"UPDATE calls SET {column} = {column} - :by WHERE id = :id"),
            {"by": by, "id": plan.call_id},
        )


async def test_running_calls_are_left_alone(
    tenant: TenantClient, worker: FakeWorker, consumer: EventConsumer, reaper: Reaper
) -> None:
    plan = await running_call(tenant, worker, consumer)
    await create_call(tenant, await tenant.published_agent())
    await reaper.round()
    assert (await call_of(tenant, plan))["status"] == "in_progress"
    assert {call["status"] for call in (await tenant.get("/v1/calls")).json()["calls"]} == {
        "in_progress",
        "connecting",
    }


async def test_a_dead_workers_call_is_billed_to_its_last_heartbeat(
    tenant: TenantClient,
    worker: FakeWorker,
    consumer: EventConsumer,
    reaper: Reaper,
    redis: Redis,
) -> None:
    plan = await running_call(tenant, worker, consumer)
    await worker.meter(plan, 30_000)
    await catch_up(consumer)
    await worker.report_position(plan, 31_000)
    await worker.drop_lease(plan.call_id)
    await reaper.round()
    call = await call_of(tenant, plan)
    assert (call["status"], call["end_reason"]) == ("failed", "worker_error")
    assert call["bill_duration"] == 31
    assert call["total_cost"] == usd(charge_micros(60, plan.rate_micros_per_minute))
    assert (await balance_of(tenant))["held_usd"] == 0
    assert not await redis.hexists(redis_names.MEDIA, str(plan.call_id))


async def test_what_a_dead_worker_had_journaled_still_arrives(
    tenant: TenantClient, worker: FakeWorker, consumer: EventConsumer, reaper: Reaper
) -> None:
    plan = await running_call(tenant, worker, consumer)
    await worker.drop_lease(plan.call_id)
    await reaper.round()
    billed = await balance_of(tenant)
    await worker.ship(
        plan,
        TranscriptSegment(
            sequence=0, speaker="user", text="Hello?", started_at_ms=0, ended_at_ms=500
        ),
    )
    await worker.end(plan, 90_000, EndReason.WORKER_ERROR)
    await catch_up(consumer)
    call = await call_of(tenant, plan)
    assert call["transcript"]["text"] == "user: Hello?"
    assert call["billable_seconds"] == 30
    assert await balance_of(tenant) == billed


async def test_a_call_that_nobody_claims_times_out_and_costs_nothing(
    tenant: TenantClient, database: Database, reaper: Reaper, worker: FakeWorker
) -> None:
    created = await create_call(tenant, await tenant.published_agent())
    async with database.system_session() as session:
        await session.execute(
            text("UPDATE calls SET dispatched_at = dispatched_at - interval '31 s'")
        )
    await reaper.round()
    call = (await tenant.get(f"/v1/calls/{created['id']}")).json()
    assert (call["status"], call["end_reason"]) == ("failed", "reaper_queued_timeout")
    assert "Call ended: reaper_queued_timeout (no worker with a free slot claimed it)" in [
        event["message"] for event in call["events"]
    ]
    assert call["total_cost"] == 0
    assert (await balance_of(tenant))["held_usd"] == 0
    assert await worker.claim() is None, "its plan is withdrawn"


async def test_a_call_that_no_worker_can_read_says_so_when_its_offer_has_expired(
    tenant: TenantClient, database: Database, reaper: Reaper, redis: Redis
) -> None:
    created = await create_call(tenant, await tenant.published_agent())
    workers = dispatch_group(redis, "a worker of an earlier release")
    await workers.release(await workers.read_new(), RECLAIM_IDLE_MS)
    await reaper.round()
    assert (await tenant.get(f"/v1/calls/{created['id']}")).json()["status"] == "connecting"
    async with database.system_session() as session:
        await session.execute(
            text("UPDATE calls SET dispatched_at = dispatched_at - interval '31 s'")
        )
    await reaper.round()
    call = (await tenant.get(f"/v1/calls/{created['id']}")).json()
    assert (call["status"], call["end_reason"]) == ("failed", "reaper_queued_timeout")
    assert (
        "Call ended: reaper_queued_timeout (it was offered to workers, and none of them could run"
        " it)" in [event["message"] for event in call["events"]]
    )
    assert await workers.take_over(0, besides=()) is None, "its offer is withdrawn"


async def test_a_call_offered_late_has_the_whole_time_of_its_offer(
    tenant: TenantClient, database: Database, reaper: Reaper
) -> None:
    created = await create_call(tenant, await tenant.published_agent())
    async with database.system_session() as session:
        await session.execute(text("UPDATE calls SET created_at = created_at - interval '10 min'"))
    await reaper.round()
    assert (await tenant.get(f"/v1/calls/{created['id']}")).json()["status"] == "connecting"


async def test_a_queued_phone_call_is_left_to_the_dialing_queue_until_it_was_dialed(
    tenant: TenantClient, database: Database, reaper: Reaper
) -> None:
    created = await create_call(tenant, await tenant.published_agent())

    async def status_when(changes: str) -> tuple[str, str | None]:
        async with database.system_session() as session:
            await session.execute(text(f"UPDATE calls SET {changes}"))
        await reaper.round()
        call = (await tenant.get(f"/v1/calls/{created['id']}")).json()
        return call["status"], call["end_reason"]

    hour_ago = "created_at = created_at - interval '1 hour'"
    assert await status_when(f"status = 'queued', {hour_ago}") == ("queued", None)
    assert await status_when("dialed_at = now() - interval '9 minutes'") == ("queued", None)
    assert await status_when("dialed_at = now() - interval '11 minutes'") == (
        "failed",
        "reaper_post_dial_timeout",
    )
    assert (await balance_of(tenant))["held_usd"] == 0


async def test_a_queued_phone_call_that_is_to_end_does_not_wait_to_be_dialed(
    tenant: TenantClient, database: Database, reaper: Reaper
) -> None:
    """It ends as ``POST /v1/calls/{id}/end`` would end it."""
    agent_id = await tenant.published_agent()
    created = await create_call(tenant, agent_id)
    async with database.system_session() as session:
        await session.execute(text("UPDATE calls SET status = 'queued'"))
        await request_ends(session, tenant.tenant_id, agent_id, datetime.now(UTC))
    await reaper.round()
    call = (await tenant.get(f"/v1/calls/{created['id']}")).json()
    assert (call["status"], call["end_reason"]) == ("completed", "normal_hangup")
    assert (call["total_cost"], (await balance_of(tenant))["held_usd"]) == (0, 0)


async def test_a_call_that_outlives_its_maximum_is_ended_and_its_worker_told(
    tenant: TenantClient,
    worker: FakeWorker,
    consumer: EventConsumer,
    reaper: Reaper,
    database: Database,
) -> None:
    plan = await running_call(tenant, worker, consumer)
    await worker.report_position(plan, 660_000)
    limit = timedelta(seconds=plan.limits.max_duration_seconds + 61)
    await age(database, plan, "started_at", limit)
    await reaper.round()
    call = await call_of(tenant, plan)
    assert (call["status"], call["end_reason"]) == ("failed", "reaper_in_progress_timeout")
    [command] = await worker.commands()
    assert command.body == EndCall(end_reason=EndReason.REAPER_IN_PROGRESS_TIMEOUT)


async def test_a_call_whose_end_waits_in_the_stream_is_not_lost(
    tenant: TenantClient, worker: FakeWorker, consumer: EventConsumer, reaper: Reaper
) -> None:
    """As after an outage of PostgreSQL: the worker has long gone, its events are not applied."""
    plan = await running_call(tenant, worker, consumer)
    await worker.end(plan, 12_000)
    await reaper.round()
    assert (await call_of(tenant, plan))["status"] == "in_progress"
    await catch_up(consumer)
    call = await call_of(tenant, plan)
    assert (call["status"], call["bill_duration"]) == ("completed", 12)


async def test_an_end_that_waits_for_what_a_dead_worker_never_shipped_is_not_waited_for(
    tenant: TenantClient, worker: FakeWorker, consumer: EventConsumer, reaper: Reaper
) -> None:
    plan = await running_call(tenant, worker, consumer)
    worker.note(plan, CallMetered(connected_ms=9_000))
    await worker.ship(plan, CallEnded(end_reason=EndReason.NORMAL_HANGUP, connected_ms=12_000))
    await catch_up(consumer)
    await reaper.round()
    assert (await call_of(tenant, plan))["status"] == "in_progress", "its worker lives"
    await worker.drop_lease(plan.call_id)
    await reaper.round()
    call = await call_of(tenant, plan)
    assert (call["status"], call["end_reason"]) == ("failed", "worker_error")


async def test_nobody_is_judged_while_redis_is_away_and_until_workers_have_renewed_their_leases(
    tenant: TenantClient,
    worker: FakeWorker,
    consumer: EventConsumer,
    database: Database,
    redis: Redis,
) -> None:
    now = 100.0
    view = ClearView(redis_names.RENEWAL_SECONDS, clock=lambda: now)
    plan = await running_call(tenant, worker, consumer)
    nowhere: Redis = Redis.from_url("redis://127.0.0.1:1")
    await worker.drop_lease(plan.call_id)

    async def status_after(client: Redis) -> str:
        await Reaper(database, client, 30, view).round()
        status: str = (await call_of(tenant, plan))["status"]
        return status

    assert await status_after(nowhere) == "in_progress"
    assert await status_after(redis) == "in_progress"
    now += redis_names.RENEWAL_SECONDS - 0.1
    assert await status_after(redis) == "in_progress"
    now += 0.1
    assert await status_after(redis) == "failed"


async def test_nobody_is_judged_while_redis_takes_no_renewals_and_until_workers_have_renewed_them(
    tenant: TenantClient,
    worker: FakeWorker,
    consumer: EventConsumer,
    database: Database,
    redis: Redis,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = 100.0
    view = ClearView(redis_names.RENEWAL_SECONDS, clock=lambda: now)
    reaper = Reaper(database, redis, 30, view)
    plan = await running_call(tenant, worker, consumer)

    async def refused(*_args: object, **_options: object) -> None:
        raise ResponseError("MISCONF Errors writing to the AOF file: No space left on device")

    async def status_after_a_look() -> str:
        await reaper.round()
        status: str = (await call_of(tenant, plan))["status"]
        return status

    assert await status_after_a_look() == "in_progress"
    now += redis_names.RENEWAL_SECONDS
    await worker.drop_lease(plan.call_id)
    with monkeypatch.context() as full_disk:
        full_disk.setattr(redis, "set", refused)
        assert await status_after_a_look() == "in_progress"
    now += redis_names.RENEWAL_SECONDS - 0.1
    assert await status_after_a_look() == "in_progress"
    now += redis_names.RENEWAL_SECONDS
    assert await status_after_a_look() == "failed"


async def test_a_call_that_cannot_be_ended_keeps_no_other_from_its_end(
    tenant: TenantClient,
    worker: FakeWorker,
    consumer: EventConsumer,
    database: Database,
    reaper: Reaper,
) -> None:
    broken = await running_call(tenant, worker, consumer)
    lost = await running_call(tenant, worker, consumer)
    takeovers = json.dumps([{"agent_id": str(uuid4()), "from_ms": 0}])
    async with database.system_session() as session:
        await session.execute(
            text("UPDATE calls SET takeovers = CAST(:takeovers AS jsonb) WHERE id = :id"),
            {"takeovers": takeovers, "id": broken.call_id},
        )
    await worker.end(broken, 1_000)
    await catch_up(consumer)
    await worker.drop_lease(lost.call_id)
    with capture_logs() as logs:
        await reaper.round()
        await reaper.round()
    assert (await call_of(tenant, lost))["status"] == "failed"
    refused = [entry["call_id"] for entry in logs if entry["event"] == "call_not_reaped"]
    assert refused == [str(broken.call_id)]


@pytest.mark.parametrize("part", [["limits", "max_duration_seconds"], ["agent_version"]])
async def test_a_plan_that_this_release_refuses_keeps_no_other_call_from_its_end(
    tenant: TenantClient,
    worker: FakeWorker,
    consumer: EventConsumer,
    database: Database,
    reaper: Reaper,
    part: list[str],
) -> None:
    refused = await running_call(tenant, worker, consumer)
    lost = await running_call(tenant, worker, consumer)
    async with database.system_session() as session:
        await session.execute(
            text("UPDATE calls SET plan = jsonb_set(plan, :part, '\"long\"') WHERE id = :id"),
            {"part": part, "id": refused.call_id},
        )
    await worker.drop_lease(refused.call_id)
    await worker.drop_lease(lost.call_id)
    with capture_logs() as logs:
        await reaper.round()
        await reaper.round()
    assert (await call_of(tenant, lost))["status"] == "failed"
    not_reaped = [entry["call_id"] for entry in logs if entry["event"] == "call_not_reaped"]
    assert not_reaped == [str(refused.call_id)]


async def test_a_redis_that_came_back_empty_between_two_looks_ends_no_call(
    tenant: TenantClient,
    worker: FakeWorker,
    consumer: EventConsumer,
    database: Database,
    redis: Redis,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = 100.0
    view = ClearView(redis_names.RENEWAL_SECONDS, clock=lambda: now)
    reaper = Reaper(database, redis, 30, view)
    plan = await running_call(tenant, worker, consumer)

    async def info_of_another(_section: str) -> dict[str, str]:
        return {"run_id": "another"}

    async def status_after_a_look() -> str:
        await reaper.round()
        status: str = (await call_of(tenant, plan))["status"]
        return status

    assert await status_after_a_look() == "in_progress"
    now += redis_names.RENEWAL_SECONDS
    monkeypatch.setattr(redis, "info", info_of_another)
    await worker.drop_lease(plan.call_id)
    assert await status_after_a_look() == "in_progress"
    now += redis_names.RENEWAL_SECONDS
    assert await status_after_a_look() == "failed"


@pytest.mark.parametrize("looks_before", [1, 2])
async def test_a_redis_whose_clock_was_put_forward_ends_no_call_before_leases_are_renewed(
    tenant: TenantClient,
    worker: FakeWorker,
    consumer: EventConsumer,
    database: Database,
    redis: Redis,
    monkeypatch: pytest.MonkeyPatch,
    looks_before: int,
) -> None:
    """Also if that happens during a round, after its first look."""
    now, time_usec = 100.0, 10**15
    view = ClearView(redis_names.RENEWAL_SECONDS, clock=lambda: now)
    reaper = Reaper(database, redis, 30, view)
    plan = await running_call(tenant, worker, consumer)
    times = iter([time_usec] * looks_before)

    async def info(_section: str) -> dict[str, Any]:
        return {"run_id": "one", "server_time_usec": next(times, time_usec + 40 * 10**6)}

    async def status_after_a_look() -> str:
        await reaper.round()
        status: str = (await call_of(tenant, plan))["status"]
        return status

    monkeypatch.setattr(redis, "info", info)
    assert await status_after_a_look() == "in_progress"
    now += redis_names.RENEWAL_SECONDS
    time_usec += redis_names.RENEWAL_SECONDS * 10**6
    await worker.drop_lease(plan.call_id)
    assert await status_after_a_look() == "in_progress"
    now += redis_names.RENEWAL_SECONDS
    time_usec += redis_names.RENEWAL_SECONDS * 10**6
    assert await status_after_a_look() == "failed"


async def test_a_position_written_once_more_after_the_end_is_forgotten(
    tenant: TenantClient,
    worker: FakeWorker,
    consumer: EventConsumer,
    reaper: Reaper,
    redis: Redis,
) -> None:
    ended = await running_call(tenant, worker, consumer)
    await worker.end(ended, 1_000)
    await catch_up(consumer)
    running = await claimed_call(tenant, worker)
    await catch_up(consumer)
    for plan in (ended, running):
        await worker.report_position(plan, 1_000)
        position = str(await redis.hget(redis_names.MEDIA, str(plan.call_id)))
        long_ago = position.replace('"sent_at":"20', '"sent_at":"19')
        await redis.hset(redis_names.MEDIA, str(plan.call_id), long_ago)
    await reaper.round()
    assert await redis.hkeys(redis_names.MEDIA) == [str(running.call_id)]


async def test_a_reaped_call_is_not_reaped_twice(
    tenant: TenantClient, worker: FakeWorker, consumer: EventConsumer, reaper: Reaper
) -> None:
    plan = await running_call(tenant, worker, consumer)
    await worker.drop_lease(plan.call_id)
    await reaper.round()
    await reaper.round()
    entries = (await tenant.get("/v1/billing/transactions")).json()["transactions"]
    assert [entry["transaction_type"] for entry in entries] == ["charge", "grant"]
