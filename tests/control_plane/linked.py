"""Fixtures for tests that need the link as well: import them into a folder's conftest."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from redis.asyncio import Redis

from contracts.sealing import derived_key
from control_plane.calling.calls.events.consumer import EventConsumer
from control_plane.platform.database import Database
from control_plane.platform.link.event_stream import BLOCK_SECONDS
from control_plane.platform.link.redis_client import connect
from control_plane.platform.settings import ControlPlaneSettings
from tests.control_plane.conftest import PATIENCE_SECONDS
from tests.control_plane.fake_worker import FakeWorker, fake_worker


@pytest.fixture
def settings(postgres_url: str, valkey_url: str, tmp_path: Path) -> ControlPlaneSettings:
    return ControlPlaneSettings(
        database_url=postgres_url,
        redis_url=valkey_url,
        public_url="http://switchboard.test",
        secret_key="a-secret-of-at-least-thirty-two-bytes",
        encryption_keys=(derived_key("of the tests"),),
        operator_token="operator-token-of-the-tests",
        request_deadline_seconds=PATIENCE_SECONDS,
        ice_servers=("stun:stun.example.net",),
        mail_outbox_dir=tmp_path / "outbox",
        knowledge_dir=tmp_path / "knowledge",
        object_store_url=(tmp_path / "objects").as_uri(),
    )


@pytest.fixture
async def redis(valkey_url: str) -> AsyncIterator[Redis]:
    client = connect(valkey_url, longest_block_seconds=BLOCK_SECONDS)
    yield client
    await client.aclose()


@pytest.fixture
async def worker(valkey_url: str) -> AsyncIterator[FakeWorker]:
    async with fake_worker(valkey_url) as worker:
        yield worker


@pytest.fixture
def consumer(database: Database, redis: Redis, simulated_time: None) -> EventConsumer:
    return EventConsumer(database, redis)
