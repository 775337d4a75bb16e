"""Claiming calls from the dispatch stream: one at a time, and only with a free slot.

Workers pull, so that one that is full, warming up or draining never gets a call. An entry is
acknowledged when the call's room is open. Until then another worker takes it over if this one dies.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta

import structlog
from pydantic import ValidationError
from redis.asyncio import Redis

from contracts import redis_names
from contracts.call_plan import CallPlan
from link.connection import LINK_ERRORS
from link.consumer_group import ConsumerGroup
from link.persistent_loop import run_persistently
from link.stream_entry import StreamEntry
from runtime.link.redis_client import BLOCK_MS
from runtime.slots import Slots

logger = structlog.get_logger(__name__)

STALE_AFTER = timedelta(seconds=30)
"""A plan that waited for longer belongs to a call that the control plane has given up on."""
RECLAIM_IDLE_MS = redis_names.LEASE_TTL_SECONDS * 1000
RECLAIM_EVERY_SECONDS = 2.0

Acknowledge = Callable[[], Awaitable[None]]
OnPlan = Callable[[CallPlan, Acknowledge], None]


class Dispatcher:
    """Hands each claimed plan to ``on_plan``, which takes a slot before it returns and calls the
    acknowledgement once the room is open."""

    def __init__(self, redis: Redis, worker_id: str, slots: Slots, on_plan: OnPlan) -> None:
        self._redis = redis
        self._worker_id = worker_id
        self._slots = slots
        self._on_plan = on_plan
        self._group = ConsumerGroup(
            redis,
            redis_names.DISPATCH_STREAM,
            redis_names.DISPATCH_GROUP,
            worker_id,
            batch=1,
            block_ms=BLOCK_MS,
        )
        self._reclaimed_at = 0.0

    async def run(self) -> None:
        """Claim until cancelled, through every outage of Redis."""
        await run_persistently("dispatch", self._claim)

    async def _claim(self) -> None:
        await self._slots.wait_free()
        for entry in await self._abandoned() or await self._group.read_new():
            await self._take(entry)

    async def _abandoned(self) -> list[StreamEntry]:
        """One entry that a worker claimed and did not acknowledge in time."""
        if time.monotonic() - self._reclaimed_at < RECLAIM_EVERY_SECONDS:
            return []
        entries = await self._group.reclaim(RECLAIM_IDLE_MS, limit=1)
        if not entries:
            self._reclaimed_at = time.monotonic()
        return entries

    async def _take(self, entry: StreamEntry) -> None:
        try:
            plan = CallPlan.model_validate_json(entry.document)
        except ValidationError as error:
            logger.error("dispatch.unreadable", entry_id=entry.entry_id, error=str(error))
            await self._group.finish([entry])
            return
        log = logger.bind(call_id=str(plan.call_id))
        if datetime.now(UTC) - plan.created_at > STALE_AFTER or await self._has_run(plan):
            log.info("dispatch.ignored", reason="too old or already run")
            await self._group.finish([entry])
            return
        if not await self._redis.set(
            redis_names.call_lease(plan.call_id),
            self._worker_id,
            nx=True,
            ex=redis_names.LEASE_TTL_SECONDS,
        ):
            log.info("dispatch.ignored", reason="another worker holds the lease")
            return
        log.info("dispatch.claimed")

        async def acknowledge() -> None:
            try:
                await self._group.finish([entry])
            except LINK_ERRORS as error:
                log.warning("dispatch.not_acknowledged", error=str(error))

        self._on_plan(plan, acknowledge)

    async def _has_run(self, plan: CallPlan) -> bool:
        """Whether a room was ever opened for this call."""
        call_id = str(plan.call_id)
        return bool(
            await self._redis.hexists(redis_names.MEDIA, call_id)
            or await self._redis.hexists(redis_names.APPLIED, call_id)
        )
