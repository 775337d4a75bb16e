"""A committed call reaches the workers, at once or as soon as Redis is back."""

from __future__ import annotations

from datetime import timedelta

import pytest
from fastapi import FastAPI
from redis.asyncio import Redis
from sqlalchemy import text

from contracts import redis_names
from control_plane.calling.calls.creating import dispatcher
from control_plane.calling.calls.creating.dispatcher import redispatch
from control_plane.platform.database import Database
from control_plane.platform.link.link import Link
from tests.control_plane.conftest import TenantClient
from tests.control_plane.conversation import create_call
from tests.control_plane.fake_worker import FakeWorker


@pytest.fixture(autouse=True)
def no_grace(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dispatcher, "FIRST_DISPATCH_GRACE", timedelta(0))


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
    async with database.system_session() as session:
        await session.execute(text("UPDATE calls SET dispatched_at = NULL"))
    assert (await tenant.post(f"/v1/calls/{created['id']}/end")).status_code == 200
    assert await redispatch(database, redis) == 0
