"""The process that carries the phone network's legs: it dials what the control plane asks for.

Without a carrier there is nothing to dial: it says so, and that it is alive.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime

import structlog
from redis.asyncio import Redis
from redis.exceptions import RedisError

from contracts.redis_names import HEARTBEAT_INTERVAL_SECONDS, HEARTBEAT_TTL_SECONDS
from telephony_bridge.carrier import Carrier
from telephony_bridge.dialer import BLOCK_MS, Dialer
from telephony_bridge.heartbeat import BridgeHeartbeat, bridge_heartbeat
from telephony_bridge.reports import Reports

ANSWER_TIMEOUT_SECONDS = 2.0
log = structlog.get_logger(__name__)


async def run_bridge(
    redis_url: str, bridge_id: str, stop: asyncio.Event, carriers: Sequence[Carrier] = ()
) -> None:
    """Dial through ``carriers`` until ``stop`` is set; survives an absent Redis.

    On stopping, every leg is hung up, and that is reported. A bridge that dies instead leaves its
    attempts to the control plane, which notices within seconds.
    """
    if not carriers:
        log.info("no carrier is configured: phone calls are not available", bridge_id=bridge_id)
    client: Redis = Redis.from_url(
        redis_url,
        decode_responses=True,
        socket_timeout=BLOCK_MS / 1000 + ANSWER_TIMEOUT_SECONDS,
        socket_connect_timeout=ANSWER_TIMEOUT_SECONDS,
    )
    reports = Reports(client, bridge_id)
    names = tuple(carrier.name for carrier in carriers)
    dialed_out = asyncio.Event()
    try:
        async with asyncio.TaskGroup() as tasks:
            background = [
                tasks.create_task(reports.keep_sending(dialed_out)),
                tasks.create_task(_keep_beating(client, bridge_id, names, dialed_out)),
            ]
            await Dialer(client, bridge_id, carriers, reports).run(stop)
            dialed_out.set()
            for task in background:
                task.cancel()
        with suppress(RedisError, OSError):
            await reports.flush()
    finally:
        await client.aclose()


async def _keep_beating(
    client: Redis, bridge_id: str, carriers: tuple[str, ...], stop: asyncio.Event
) -> None:
    key = bridge_heartbeat(bridge_id)
    reachable = True
    while not stop.is_set():
        heartbeat = BridgeHeartbeat(
            bridge_id=bridge_id, sent_at=datetime.now(UTC), carriers=carriers
        )
        try:
            await client.set(key, heartbeat.model_dump_json(), ex=HEARTBEAT_TTL_SECONDS)
        except (RedisError, OSError) as error:
            if reachable:
                log.warning("heartbeat not sent", bridge_id=bridge_id, error=str(error))
            reachable = False
        else:
            reachable = True
        await asyncio.sleep(HEARTBEAT_INTERVAL_SECONDS)
