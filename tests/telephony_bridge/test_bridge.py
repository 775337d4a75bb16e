from __future__ import annotations

import asyncio

import pytest
from cryptography.fernet import Fernet
from redis.asyncio import Redis

from telephony_bridge.bridge import run_bridge
from telephony_bridge.heartbeat import BridgeHeartbeat, bridge_heartbeat
from telephony_bridge.settings import BridgeSettings
from telephony_bridge.webhooks.server import PortTaken
from tests.loopback_listener import loopback_listener


async def test_says_that_it_lives_and_has_no_carrier(valkey_url: str) -> None:
    stop = asyncio.Event()
    async with Redis.from_url(valkey_url) as client, asyncio.TaskGroup() as tasks:
        tasks.create_task(run_bridge(BridgeSettings(redis_url=valkey_url, bridge_id="b-1"), stop))
        document = await _first_value(client, bridge_heartbeat("b-1"))
        assert await client.ttl(bridge_heartbeat("b-1")) > 0
        stop.set()
    assert BridgeHeartbeat.model_validate_json(document).carriers == ()


async def test_stops_at_once_without_redis() -> None:
    stop = asyncio.Event()
    async with asyncio.timeout(10), asyncio.TaskGroup() as tasks:
        settings = BridgeSettings(redis_url="redis://127.0.0.1:1/0", bridge_id="b-1")
        tasks.create_task(run_bridge(settings, stop))
        await asyncio.sleep(0)
        stop.set()


async def test_a_port_that_is_taken_is_named(valkey_url: str) -> None:
    with loopback_listener() as taken:
        settings = BridgeSettings(
            redis_url=valkey_url,
            bridge_id="b-1",
            port=taken.getsockname()[1],
            public_url="https://phones.example.com",
            account_key=Fernet.generate_key().decode(),
        )
        with pytest.raises(PortTaken, match=r"SWITCHBOARD_BRIDGE_PORT.*: Address already in use"):
            await run_bridge(settings, asyncio.Event())


async def _first_value(client: Redis, key: str) -> bytes:
    async with asyncio.timeout(10):
        while True:
            if (value := await client.get(key)) is not None:
                return bytes(value)
            await asyncio.sleep(0.01)
