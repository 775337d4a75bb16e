"""How a worker stops: its calls go on for a while, then they end, and what they told is sent."""

from __future__ import annotations

import asyncio

import structlog

from link.connection import LINK_ERRORS
from runtime.call.end_cause import Cause, Ending
from runtime.journal.event_shipper import EventShipper
from runtime.link.heartbeat import Heartbeat
from runtime.link.live_publisher import LivePublisher
from runtime.running_calls import RunningCalls
from runtime.slots import Slots

logger = structlog.get_logger(__name__)

END_SECONDS = 15.0
"""How long the remaining calls of a stopping worker have to say goodbye and close."""
SHIP_SECONDS = 2.0
"""How long a stopping worker tries to send its last events. The rest stays on disk."""


async def drain(calls: RunningCalls, slots: Slots, timeout_seconds: float) -> None:
    """Let the calls continue for a while, then end them."""
    if await _idle_within(slots, timeout_seconds):
        return
    for call in calls:
        call.end(Ending.because(Cause.WORKER_STOPPING))
    if not await _idle_within(slots, END_SECONDS):
        logger.error("worker.calls_hang", calls=[str(call.plan.call_id) for call in calls])


async def _idle_within(slots: Slots, seconds: float) -> bool:
    try:
        async with asyncio.timeout(seconds):
            await slots.wait_idle()
    except TimeoutError:
        return False
    return True


async def ship_rest(shipper: EventShipper, live: LivePublisher) -> None:
    try:
        async with asyncio.timeout(SHIP_SECONDS):
            await shipper.wait_all_sent()
            await live.wait_all_sent()
    except TimeoutError:
        logger.warning("worker.events_left_on_disk")


async def say_goodbye(heartbeat: Heartbeat) -> None:
    try:
        await heartbeat.say_goodbye()
    except LINK_ERRORS as error:
        logger.warning("worker.no_goodbye", error=str(error))
