"""The process that connects calls to the phone network. It dials when the control plane asks.

Without a carrier there is nothing to dial: it logs that, and sends its heartbeat.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial

import structlog
from redis.asyncio import Redis

from contracts.redis_names import HEARTBEAT_INTERVAL_SECONDS, HEARTBEAT_TTL_SECONDS
from link.connection import LINK_ERRORS, answers, connect
from link.persistent_loop import run_persistently
from telemetry.health import Health
from telephony_bridge.carrier import Carrier
from telephony_bridge.dialer import BLOCK_MS, Dialer
from telephony_bridge.heartbeat import BridgeHeartbeat, bridge_heartbeat
from telephony_bridge.reports import Reports

ANSWER_TIMEOUT_SECONDS = 2.0
log = structlog.get_logger(__name__)


async def run_bridge(
    redis_url: str,
    bridge_id: str,
    stop: asyncio.Event,
    carriers: Sequence[Carrier] = (),
    health: Health | None = None,
) -> None:
    """Dial through ``carriers`` until ``stop`` is set; survives an absent Redis.

    A bridge that stops hangs up every leg and reports that. If a bridge dies, the control plane
    notices within seconds and ends its attempts.
    """
    if not carriers:
        log.info("no carrier is configured: phone calls are not available", bridge_id=bridge_id)
    client = connect(
        redis_url,
        connect_timeout_seconds=ANSWER_TIMEOUT_SECONDS,
        answer_timeout_seconds=ANSWER_TIMEOUT_SECONDS,
        longest_block_seconds=BLOCK_MS / 1000,
    )
    if health is not None:
        health.watch("Redis does not answer.", partial(answers, client))
    reports = Reports(client, bridge_id)
    names = tuple(carrier.name for carrier in carriers)
    try:
        async with asyncio.TaskGroup() as tasks:
            background = [
                tasks.create_task(reports.keep_sending()),
                tasks.create_task(_keep_beating(client, bridge_id, names)),
            ]
            await Dialer(client, bridge_id, carriers, reports).run(stop)
            for task in background:
                task.cancel()
        with suppress(*LINK_ERRORS):
            await reports.flush()
    finally:
        await client.aclose()


async def _keep_beating(client: Redis, bridge_id: str, carriers: tuple[str, ...]) -> None:
    key = bridge_heartbeat(bridge_id)

    async def beat() -> None:
        heartbeat = BridgeHeartbeat(
            bridge_id=bridge_id, sent_at=datetime.now(UTC), carriers=carriers
        )
        await client.set(key, heartbeat.model_dump_json(), ex=HEARTBEAT_TTL_SECONDS)
        await asyncio.sleep(HEARTBEAT_INTERVAL_SECONDS)

    await run_persistently(
        "heartbeat",
        beat,
        first_pause_seconds=HEARTBEAT_INTERVAL_SECONDS,
        longest_pause_seconds=HEARTBEAT_INTERVAL_SECONDS,
    )
