"""A committed call reaches the workers, at once or as soon as Redis is back."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from fastapi import FastAPI
from redis.asyncio import Redis
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from contracts import redis_names
from contracts.call_offer import OFFER_TTL, CallOffer
from contracts.versions import read_json
from control_plane.calling.calls import repository
from control_plane.calling.calls.creating import dispatcher
from control_plane.calling.calls.creating.dispatcher import Dispatcher, redispatch
from control_plane.calling.calls.plan_document import PlanDocument
from control_plane.calling.calls.repository import Dispatched, record_dispatches
from control_plane.platform.database import Database
from control_plane.platform.link.link import Link
from link.dispatch_queue import DispatchQueue
from tests.control_plane.conftest import TenantClient
from tests.control_plane.conversation import create_call
from tests.control_plane.fake_worker import FakeWorker


@pytest.fixture(autouse=True)
def no_grace(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dispatcher, "FIRST_DISPATCH_GRACE", timedelta(0))


async def offers(redis: Redis) -> list[tuple[CallOffer, str]]:
    """What the workers are offered, on the stream and after it: each header with its plan."""
    await DispatchQueue(redis).advance(window=10)
    entries = await redis.xrange(redis_names.DISPATCH_STREAM)
    return [
        (read_json(CallOffer, fields[redis_names.HEADER_FIELD]), fields[redis_names.FIELD])
        for _, fields in entries
    ]


async def change_calls(database: Database, change: str) -> None:
    async with database.system_session() as session:
        await session.execute(text(f"UPDATE calls SET {change}"))


async def test_a_new_call_is_dispatched_once(
    tenant: TenantClient, database: Database, redis: Redis
) -> None:
    await create_call(tenant, await tenant.published_agent())
    assert await redis.xlen(redis_names.DISPATCH_STREAM) == 1
    assert await redispatch(database, redis) == 0


async def test_a_call_created_while_redis_was_away_is_dispatched_later(
    tenant: TenantClient, app: FastAPI, database: Database, redis: Redis, worker: FakeWorker
) -> None:
    working, app.state.link = app.state.link, Link("redis://127.0.0.1:1")
    created = await create_call(tenant, await tenant.published_agent())
    app.state.link = working
    assert await redis.xlen(redis_names.DISPATCH_STREAM) == 0

    assert await redispatch(database, redis) == 1
    assert await redispatch(database, redis) == 0
    plan = await worker.claim()
    assert plan is not None
    assert str(plan.call_id) == created["id"]


async def test_a_call_is_offered_with_a_deadline_of_its_own(
    tenant: TenantClient, redis: Redis
) -> None:
    before = datetime.now(UTC)
    created = await create_call(tenant, await tenant.published_agent())
    [(offer, plan)] = await offers(redis)
    assert str(offer.call_id) == created["id"] == json.loads(plan)["call_id"]
    assert offer.tenant_id == tenant.tenant_id
    assert before <= offer.offered_at <= datetime.now(UTC)
    assert offer.expires_at - offer.offered_at == OFFER_TTL


@pytest.mark.parametrize("rang_seconds", [40, 600])
async def test_a_phone_answered_long_after_its_post_is_offered_from_then_on(
    tenant: TenantClient, database: Database, redis: Redis, rang_seconds: int
) -> None:
    await create_call(tenant, await tenant.published_agent())
    await redis.flushall()
    await change_calls(
        database,
        f"dispatched_at = NULL, dispatch_entry_id = NULL, answered_at = now(),"
        f" created_at = now() - interval '{rang_seconds} s'",
    )
    assert await redispatch(database, redis) == 1
    [(offer, _)] = await offers(redis)
    assert not offer.has_expired(datetime.now(UTC) + OFFER_TTL - timedelta(seconds=5))


async def test_a_call_is_offered_again_with_what_another_release_put_into_its_plan(
    tenant: TenantClient, database: Database, redis: Redis
) -> None:
    await create_call(tenant, await tenant.published_agent())
    [(_, first)] = await offers(redis)
    await change_calls(
        database, """dispatched_at = NULL, plan = plan || '{"mood": {"sunny": "straße"}}'"""
    )
    assert await redispatch(database, redis) == 1
    [_, (_, again)] = await offers(redis)
    assert json.loads(again) == json.loads(first) | {"mood": {"sunny": "straße"}}


async def test_a_call_that_has_waited_for_too_long_is_left_to_the_reaper(
    tenant: TenantClient, database: Database, redis: Redis
) -> None:
    await create_call(tenant, await tenant.published_agent())
    await change_calls(database, "dispatched_at = NULL, created_at = now() - interval '31 s'")
    assert await redispatch(database, redis) == 0


async def test_while_redis_stays_away_nothing_is_noted_as_dispatched(
    tenant: TenantClient, app: FastAPI, database: Database, redis: Redis
) -> None:
    nowhere = Link("redis://127.0.0.1:1")
    working, app.state.link = app.state.link, nowhere
    await create_call(tenant, await tenant.published_agent())
    app.state.link = working
    assert await redispatch(database, nowhere.redis) == 0
    assert await redispatch(database, redis) == 1


async def test_a_call_that_is_over_is_not_dispatched(
    tenant: TenantClient, database: Database, redis: Redis
) -> None:
    created = await create_call(tenant, await tenant.published_agent())
    await change_calls(database, "dispatched_at = NULL")
    assert (await tenant.post(f"/v1/calls/{created['id']}/end")).status_code == 200
    assert await redispatch(database, redis) == 0


async def test_dispatches_of_the_same_moment_are_recorded_together(
    tenant: TenantClient, database: Database, redis: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent_id = await tenant.published_agent()
    calls = [await create_call(tenant, agent_id) for _ in range(3)]
    await change_calls(database, "dispatched_at = NULL")
    recorded: list[int] = []

    async def record(session: AsyncSession, dispatched: Sequence[Dispatched]) -> None:
        recorded.append(len(dispatched))
        await record_dispatches(session, dispatched)

    monkeypatch.setattr(repository, "record_dispatches", record)
    monkeypatch.setattr(dispatcher, "RECORD_TOGETHER_SECONDS", 0.1)
    offering = Dispatcher(database)
    for call in calls:
        plan = PlanDocument(tenant.tenant_id, UUID(call["id"]), None, "{}")
        await offering.dispatch(redis, plan)
    await offering.recorded()
    assert recorded == [3]
    assert await redispatch(database, redis) == 0


async def test_a_dispatch_that_cannot_be_recorded_is_made_again_later(
    tenant: TenantClient, database: Database, redis: Redis
) -> None:
    call = await create_call(tenant, await tenant.published_agent())
    await change_calls(database, "dispatched_at = NULL")
    away = Dispatcher(Database("postgresql+psycopg://nobody@127.0.0.1:1/none"))
    await away.dispatch(redis, PlanDocument(tenant.tenant_id, UUID(call["id"]), None, "{}"))
    await away.recorded()
    assert await redispatch(database, redis) == 1
