"""Redis goes away and comes back in the middle of streams."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from fastapi import FastAPI
from redis.asyncio import Redis

from control_plane.calling.calls.events.consumer import EventConsumer
from control_plane.calling.live_view.live_feed import LiveFeed, LiveViewTiming
from control_plane.platform.database import Database
from control_plane.platform.link.redis_client import connect
from tests.control_plane.calling.live_view.viewer import served, tell, watching, words
from tests.control_plane.conftest import TenantClient
from tests.control_plane.conversation import running_call
from tests.control_plane.fake_worker import FakeWorker
from tests.runtime.valkey_process import ValkeyProcess


@pytest.fixture
async def valkey(tmp_path: Path) -> AsyncIterator[ValkeyProcess]:
    """A Redis of the live view's own: the rest of the link stays up."""
    directory = tmp_path / "valkey"
    directory.mkdir()
    process = ValkeyProcess(directory)
    await process.start()
    yield process
    await process.kill()


@pytest.fixture
async def live_redis(valkey: ValkeyProcess) -> AsyncIterator[Redis]:
    client = connect(valkey.url)
    yield client
    await client.aclose()


@pytest.fixture
async def url(app: FastAPI, live_redis: Redis, database: Database) -> AsyncIterator[str]:
    feed = LiveFeed(live_redis, database, LiveViewTiming(keep_alive_seconds=0.2))
    app.state.live_feed = feed
    async with served(app) as url:
        yield url
    await feed.aclose()


async def test_a_stream_outlives_a_redis_that_forgets_everything(
    url: str,
    valkey: ValkeyProcess,
    live_redis: Redis,
    tenant: TenantClient,
    worker: FakeWorker,
    consumer: EventConsumer,
) -> None:
    plan = await running_call(tenant, worker, consumer)
    async with watching(url, tenant, plan.call_id) as viewer:
        await tell(live_redis, plan.call_id, words("before", 0))
        await viewer.until_text("before")
        await valkey.lose_everything()
        reading = asyncio.create_task(viewer.until_text("after"))
        await valkey.start()
        await tell(live_redis, plan.call_id, words("after", 1))
        assert [event.text for event in await reading] == ["after"]


async def test_a_stream_opened_while_redis_is_away_goes_on_when_it_is_back(
    url: str,
    valkey: ValkeyProcess,
    live_redis: Redis,
    tenant: TenantClient,
    worker: FakeWorker,
    consumer: EventConsumer,
) -> None:
    plan = await running_call(tenant, worker, consumer)
    await tell(live_redis, plan.call_id, words("before", 0))
    await valkey.kill()
    async with watching(url, tenant, plan.call_id) as viewer:
        first = await viewer.take(2)
        assert [event.data["subject"] for event in first] == ["call", "participant"]
        await valkey.start()
        events = await viewer.until_text("before")
    assert [event.text for event in events] == ["before"]
