"""The process that carries the phone network's legs.

Without a carrier there is nothing to carry: it says so, and that it is alive.
"""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

import structlog
from redis.asyncio import Redis
from redis.exceptions import RedisError

from contracts.redis_names import HEARTBEAT_INTERVAL_SECONDS, HEARTBEAT_TTL_SECONDS
from telephony_bridge.heartbeat import BridgeHeartbeat, bridge_heartbeat

log = structlog.get_logger(__name__)


async def run_bridge(redis_url: str, bridge_id: str, stop: asyncio.Event) -> None:
    """Send a heartbeat each second until ``stop`` is set; survives an absent Redis."""
    log.info("no carrier is configured: phone calls are not available", bridge_id=bridge_id)
    client: Redis = Redis.from_url(redis_url, socket_timeout=2, socket_connect_timeout=2)
    key = bridge_heartbeat(bridge_id)
    reachable = True
    try:
        while not stop.is_set():
            heartbeat = BridgeHeartbeat(bridge_id=bridge_id, sent_at=datetime.now(UTC), carriers=())
            try:
                await client.set(key, heartbeat.model_dump_json(), ex=HEARTBEAT_TTL_SECONDS)
            except RedisError as error:
                if reachable:
                    log.warning("heartbeat not sent", bridge_id=bridge_id, error=str(error))
                reachable = False
            else:
                reachable = True
            await _wait(stop, HEARTBEAT_INTERVAL_SECONDS)
    finally:
        await client.aclose()


async def _wait(stop: asyncio.Event, seconds: float) -> None:
    try:
        async with asyncio.timeout(seconds):
            await stop.wait()
    except TimeoutError:
        return
