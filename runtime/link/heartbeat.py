"""Tells Redis once a second that this worker is alive, which calls it has and how far each is."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Literal, Protocol, TypedDict
from uuid import UUID

from redis.asyncio import Redis

from contracts import redis_names
from contracts.heartbeat import CallMedia, WorkerHeartbeat
from link.persistent_loop import run_persistently
from runtime.link.claims import renew_claim
from runtime.link.worker_identity import WorkerIdentity
from runtime.slots import Slots


class Backlog(TypedDict):
    """Fields of ``WorkerHeartbeat``."""

    journal_bytes: int
    journals_are_full: bool
    events_are_held_back: bool


class CarriedCalls(Protocol):
    """The calls of one worker, as of now."""

    def claimed(self) -> Iterable[UUID]:
        """Calls that have not begun here: their room is not open yet, or their phone rings."""

    def taken(self, call_id: UUID) -> None:
        """Another worker has claimed the call while this one was cut off from Redis."""

    def leased(self) -> Iterable[UUID]:
        """Other calls that this worker answers for: those that run, and those that are over but
        whose events are not all applied. If a lease lapsed earlier, the control plane would take
        the worker for dead."""

    def media(self) -> Iterable[CallMedia]:
        """Positions of the calls that run."""

    def backlog(self) -> Backlog:
        """What is not applied yet."""


@dataclass(frozen=True)
class MediaDoor:
    """Where bridges bring phone legs, and what their tokens are made from."""

    address: str
    secret: str = field(repr=False)


class Heartbeat:
    """Set ``state`` as the worker goes from warming to ready to draining, ``media_door`` once it
    listens for phone legs, and count ``unreadable_offers``."""

    def __init__(
        self,
        redis: Redis,
        worker_id: str,
        identity: WorkerIdentity,
        slots: Slots,
        calls: CarriedCalls,
        lease_seconds: int,
    ) -> None:
        self._redis = redis
        self._worker_id = worker_id
        self._identity = identity
        self._slots = slots
        self._calls = calls
        self._lease_seconds = lease_seconds
        self.state: Literal["warming", "ready", "draining"] = "warming"
        self.unreadable_offers = 0
        self.media_door: MediaDoor | None = None
        self._beaten_at = float("-inf")

    @property
    def is_heard(self) -> bool:
        """Whether Redis has the worker's heartbeat now."""
        return time.monotonic() - self._beaten_at < redis_names.HEARTBEAT_TTL_SECONDS

    async def run(self) -> None:
        """Beat until cancelled, through every outage of Redis."""
        await run_persistently("heartbeat", self._beat_and_wait)

    async def _beat_and_wait(self) -> None:
        await self.beat()
        await asyncio.sleep(redis_names.HEARTBEAT_INTERVAL_SECONDS)

    async def beat(self) -> None:
        """Send one heartbeat.

        Raises:
            RedisError, OSError: Redis is away.
        """
        reasons = self._slots.reasons
        own = WorkerHeartbeat(
            worker_id=self._worker_id,
            sent_at=datetime.now(UTC),
            state=self.state,
            slots_total=self._slots.usable,
            slots_used=self._slots.used,
            unreadable_offers=self.unreadable_offers,
            claims_nothing_because=reasons[0] if reasons else None,
            claims_nothing_seconds=self._slots.closed_seconds,
            media_address=None if self.media_door is None else self.media_door.address,
            **self._calls.backlog(),
        )
        pipeline = self._redis.pipeline(transaction=False)
        claimed = list(self._calls.claimed())
        for call_id in claimed:
            renew_claim(pipeline, call_id, self._worker_id)
        pipeline.sadd(redis_names.WORKERS, self._worker_id)
        pipeline.set(
            redis_names.worker_heartbeat(self._worker_id),
            own.model_dump_json(),
            ex=redis_names.HEARTBEAT_TTL_SECONDS,
        )
        pipeline.set(
            self._identity.key, self._identity.instance, ex=redis_names.HEARTBEAT_TTL_SECONDS
        )
        if self.media_door is not None:
            pipeline.set(
                redis_names.worker_media_secret(self._worker_id),
                self.media_door.secret,
                ex=redis_names.HEARTBEAT_TTL_SECONDS,
            )
        for call_id in self._calls.leased():
            pipeline.set(redis_names.call_lease(call_id), self._worker_id, ex=self._lease_seconds)
        for media in self._calls.media():
            pipeline.hset(redis_names.MEDIA, str(media.call_id), media.model_dump_json())
        begun_at = time.monotonic()
        answers = await pipeline.execute()
        self._beaten_at = begun_at
        for call_id, is_ours in zip(claimed, answers, strict=False):
            if not is_ours:
                self._calls.taken(call_id)

    async def say_goodbye(self) -> None:
        """Remove the heartbeat of a worker that stops, so that nothing waits for it to expire."""
        await self._redis.delete(
            redis_names.worker_heartbeat(self._worker_id),
            redis_names.worker_media_secret(self._worker_id),
            self._identity.key,
        )
        await self._redis.srem(redis_names.WORKERS, self._worker_id)
