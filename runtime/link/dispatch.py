"""Claiming calls from the dispatch stream: one at a time, and only with a free slot.

Workers pull, so that one that is full, warming up or draining never gets a call. A worker that is
about to claim a call has the next one put on the stream: whose turn it is then, decides
``link/dispatch_queue.py``. An entry is acknowledged when the call's room is open. Until then
another worker takes it over if this one dies; from then on the call has its full lease.

An offer that this release cannot read stays in the stream: this worker leaves it to the others. If
none of them can read it either, the control plane ends the call after the offer's deadline.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from uuid import UUID

import structlog
from redis.asyncio import Redis
from redis.exceptions import WatchError

from contracts import redis_names
from contracts.call_plan import CallPlan
from contracts.call_status import Transport
from link.connection import LINK_ERRORS
from link.consumer_group import ConsumerGroup
from link.dispatch_queue import DispatchQueue
from link.persistent_loop import run_persistently
from link.stream_entry import StreamEntry
from runtime.link.offered_call import OfferedCall, UnreadableOffer, read_offer
from runtime.link.redis_client import BLOCK_MS
from runtime.slots import Slots
from telemetry.metrics import CALL_SETUP, DISPATCH_WAIT, SHARES, listed

logger = structlog.get_logger(__name__)

RECLAIM_IDLE_MS = redis_names.CLAIM_TTL_SECONDS * 1000
RECLAIM_EVERY_SECONDS = 2.0
LEFT_REMEMBERED = 10_000
"""How many unreadable offers a worker remembers. The control plane removes them within minutes."""

Acknowledge = Callable[[], Awaitable[None]]
OnOffer = Callable[[OfferedCall, Acknowledge], None]


def dispatch_group(redis: Redis, worker_id: str) -> ConsumerGroup:
    """``worker_id`` as one of the workers that are offered calls."""
    return ConsumerGroup(
        redis,
        redis_names.DISPATCH_STREAM,
        redis_names.DISPATCH_GROUP,
        worker_id,
        batch=1,
        block_ms=BLOCK_MS,
    )


class Dispatcher:
    """Hands each claimed call to ``on_offer``, which reserves a slot before it returns and
    calls the acknowledgement once the room is open.

    Args:
        on_unreadable: called once for each offer that this release cannot read.
        is_running: whether a call runs in this worker already. An answered phone's call is offered
            again, in case the worker that was reserved while it rang is gone.
        lease_seconds: how long an acknowledged call stays this worker's without a heartbeat.
    """

    def __init__(
        self,
        redis: Redis,
        worker_id: str,
        slots: Slots,
        on_offer: OnOffer,
        on_unreadable: Callable[[], None],
        is_running: Callable[[UUID], bool],
        lease_seconds: int,
    ) -> None:
        self._redis = redis
        self._worker_id = worker_id
        self._slots = slots
        self._on_offer = on_offer
        self._on_unreadable = on_unreadable
        self._is_running = is_running
        self._lease_seconds = lease_seconds
        self._group = dispatch_group(redis, worker_id)
        self._queue = DispatchQueue(redis)
        self._reclaimed_at = float("-inf")
        self._left: dict[str, None] = {}
        """The entry ids of unreadable offers, oldest first."""

    async def run(self) -> None:
        """Claim until cancelled, through every outage of Redis."""
        await run_persistently("dispatch", self._claim)

    async def _claim(self) -> None:
        await self._slots.wait_free()
        for entry in await self._abandoned() or await self._next():
            match read_offer(entry):
                case UnreadableOffer() as unreadable:
                    await self._leave(entry, unreadable)
                case OfferedCall() as offered:
                    await self._take(entry, offered)

    async def _next(self) -> list[StreamEntry]:
        """The entry that is there now or comes next."""
        await self._queue.advance()
        return await self._group.read_new()

    async def _abandoned(self) -> list[StreamEntry]:
        """One entry that a worker claimed and did not acknowledge in time, or could not read."""
        if time.monotonic() - self._reclaimed_at < RECLAIM_EVERY_SECONDS:
            return []
        entry = await self._group.take_over(RECLAIM_IDLE_MS, besides=self._left)
        if entry is None:
            self._reclaimed_at = time.monotonic()
            return []
        return [entry]

    async def _leave(self, entry: StreamEntry, unreadable: UnreadableOffer) -> None:
        self._left[entry.entry_id] = None
        if len(self._left) > LEFT_REMEMBERED:
            del self._left[next(iter(self._left))]
        self._on_unreadable()
        logger.error(
            "dispatch.unreadable",
            entry_id=entry.entry_id,
            call_id=None if unreadable.call_id is None else str(unreadable.call_id),
            fault=unreadable.fault,
        )
        await self._group.release([entry], RECLAIM_IDLE_MS)

    async def _take(self, entry: StreamEntry, offered: OfferedCall) -> None:
        call_id = offered.plan.call_id
        log = logger.bind(call_id=str(call_id))
        now = datetime.now(UTC)
        if (
            offered.offer.has_expired(now)
            or self._is_running(call_id)
            or await self._has_run(call_id)
        ):
            log.info("dispatch.ignored", reason="expired, running or already run")
            await self._group.finish([entry])
            return
        if not (await self._lease(call_id) or await self._lease_of_dead(offered.plan)):
            log.info("dispatch.ignored", reason="another worker holds the lease")
            return
        log.info("dispatch.claimed")
        waited_seconds = (now - offered.offer.offered_at).total_seconds()
        CALL_SETUP.labels("dispatch").observe(max(0.0, waited_seconds))

        async def acknowledge() -> None:
            try:
                # If this worker is cut off before its next heartbeat, it still keeps the call.
                async with self._redis.pipeline(transaction=True) as pipe:
                    pipe.set(
                        redis_names.call_lease(call_id), self._worker_id, ex=self._lease_seconds
                    )
                    self._group.finish_within(pipe, [entry])
                    await pipe.execute()
            except LINK_ERRORS as error:
                log.warning("dispatch.not_acknowledged", error=str(error))

        self._on_offer(offered, acknowledge)
        if (share := await self._queue.share_of(call_id)) is not None:
            DISPATCH_WAIT.labels(listed(share, SHARES)).observe(max(0.0, waited_seconds))

    async def _lease(self, call_id: UUID) -> bool:
        """Whether nobody had the call, and this worker has it now."""
        return bool(
            await self._redis.set(
                redis_names.call_lease(call_id),
                self._worker_id,
                nx=True,
                ex=redis_names.CLAIM_TTL_SECONDS,
            )
        )

    async def _lease_of_dead(self, plan: CallPlan) -> bool:
        """Take the lease of a worker that died while it was reserved for a phone that rang. The
        lease alone would outlast the patience of the person who answers. It may be this worker's
        own, from before it was started again: what runs here was looked for already.

        Of other calls, a worker without a heartbeat may be alive, and only cut off from Redis.
        """
        if any(each.transport is not Transport.PSTN for each in plan.participants):
            return False
        lease = redis_names.call_lease(plan.call_id)
        async with self._redis.pipeline(transaction=True) as pipe:
            await pipe.watch(lease)
            holder = await pipe.get(lease)
            if holder not in (None, self._worker_id) and await pipe.exists(
                redis_names.worker_heartbeat(str(holder))
            ):
                return False
            pipe.multi()  # type: ignore[no-untyped-call]
            pipe.set(lease, self._worker_id, ex=redis_names.CLAIM_TTL_SECONDS)
            try:
                await pipe.execute()
            except WatchError:
                return False
        return True

    async def _has_run(self, call_id: UUID) -> bool:
        """Whether a room was ever opened for this call."""
        return bool(
            await self._redis.hexists(redis_names.MEDIA, str(call_id))
            or await self._redis.hexists(redis_names.APPLIED, str(call_id))
        )
