"""How many more calls the media workers can begin before an offer of a call expires."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from uuid import UUID

import structlog
from redis.asyncio import Redis

from contracts import redis_names
from contracts.heartbeat import WorkerHeartbeat
from control_plane.platform.link.heartbeats import read_heartbeats
from control_plane.platform.rate_limits.breaker import Breaker
from link.connection import LINK_ERRORS
from link.dispatch_queue import DispatchQueue

_log = structlog.get_logger(__name__)

MAX_AGE_SECONDS = redis_names.HEARTBEAT_INTERVAL_SECONDS
READ_DEADLINE_SECONDS = 0.5
BUSY_FOR_LONG_SECONDS = 5.0
"""A worker that a few expensive seconds keep from claiming does so again after two or three."""


@dataclass(frozen=True)
class Capacity:
    """What the workers' heartbeats and the queue of waiting calls say. Pure."""

    slots: int
    """Of all workers that claim calls, or will soon: when their models are loaded, or when they are
    less busy than a moment ago."""
    free: int
    """Those of them without a call."""
    recently_begun: int = 0
    """Calls that got a worker in about the last 30 s, the time for which an offer is valid."""
    waiting: Mapping[str, int] = field(default_factory=dict)
    """Calls that wait for their turn, by tenant id."""
    weights: Mapping[str, int] = field(default_factory=dict)
    """Calls that a tenant sends in one turn, if not 1, by tenant id."""
    workers: int = 0
    """Those that are there and not stopping, however busy they are."""

    def has_room_for(self, tenant_id: UUID) -> bool:
        """Whether a worker will probably begin one more call of the tenant in time.

        A busy worker is expected to end as many calls as it began in the same time before.
        """
        return self.slots > 0 and self.ahead_of(tenant_id) < self.free + self.recently_begun

    def ahead_of(self, tenant_id: UUID) -> int:
        """How many waiting calls have their turn before one more call of the tenant."""
        own = self.waiting.get(str(tenant_id), 0)
        turns = math.ceil((own + 1) / self.weights.get(str(tenant_id), 1))
        others = sum(
            min(calls, turns * self.weights.get(tenant, 1))
            for tenant, calls in self.waiting.items()
            if tenant != str(tenant_id)
        )
        return own + others

    def with_waiting(self, tenant_id: UUID) -> Capacity:
        """After one more call of the tenant was admitted."""
        waiting = {**self.waiting, str(tenant_id): self.waiting.get(str(tenant_id), 0) + 1}
        return replace(self, waiting=waiting)


async def read_capacity(redis: Redis) -> Capacity:
    """
    Raises:
        RedisError, OSError: Redis is away.
    """
    slots = free = workers = 0
    for heartbeat in await read_heartbeats(redis):
        if heartbeat.state == "draining":
            continue
        workers += 1
        if not _is_busy_for_long(heartbeat):
            slots += heartbeat.slots_total
            free += max(0, heartbeat.slots_total - heartbeat.slots_used)
    queue = DispatchQueue(redis)
    weights = await redis.hgetall(redis_names.DISPATCH_WEIGHTS)
    return Capacity(
        slots=slots,
        free=free,
        recently_begun=await queue.dispatched_recently(time.time()),
        waiting=await queue.waiting(),
        weights={str(tenant): int(weight) for tenant, weight in weights.items()},
        workers=workers,
    )


def _is_busy_for_long(heartbeat: WorkerHeartbeat) -> bool:
    """Whether a worker claims nothing and nobody knows until when. Calls that wait for their first
    participant are no such reason: they are joined or given up in a known time."""
    return (
        heartbeat.claims_nothing_because not in (None, "waiting_calls")
        and heartbeat.claims_nothing_seconds >= BUSY_FOR_LONG_SECONDS
    )


class CapacityView:
    """What one process knows of the capacity. It is read again once a second, and the calls that
    this process has admitted since are counted.

    While Redis is away nothing is known, and for the lifetime of a heartbeat after that neither: a
    Redis that has lost its data hears from the workers only then.
    """

    def __init__(self, redis: Redis, clock: Callable[[], float] = time.monotonic) -> None:
        self._redis = redis
        self._clock = clock
        self._breaker = Breaker(clock)
        self._reading = asyncio.Lock()
        self._known: Capacity | None = None
        self._read_at = float("-inf")
        self._trusted_from = float("-inf")

    @property
    def has_workers(self) -> bool:
        """Whether any worker was there at the last look."""
        return self._known is not None and self._known.workers > 0

    async def admit(self, tenant_id: UUID) -> bool:
        """Whether a worker will probably begin one more call of the tenant in time, or nothing is
        known. The call counts as waiting from now on."""
        async with self._reading:
            if self._clock() - self._read_at >= MAX_AGE_SECONDS:
                await self._read()
        if self._known is None or self._clock() < self._trusted_from:
            return True
        if not self._known.has_room_for(tenant_id):
            return False
        self._known = self._known.with_waiting(tenant_id)
        return True

    async def _read(self) -> None:
        if not self._breaker.may_try():
            return
        try:
            async with asyncio.timeout(READ_DEADLINE_SECONDS):
                self._known = await read_capacity(self._redis)
        except LINK_ERRORS as error:
            self._known = None
            self._trusted_from = self._clock() + redis_names.HEARTBEAT_TTL_SECONDS
            if self._breaker.failed():
                _log.warning("capacity_unknown", error=repr(error))
            return
        self._breaker.succeeded()
        self._read_at = self._clock()
