"""Applies the events of the stream in PostgreSQL: each exactly once, and a call's events in order.

An entry leaves the stream only after the transaction that applied it was committed. While
PostgreSQL is away the consumer waits; while Redis is away there is nothing to read.

An event that this release cannot read is left to the other jobs processes for a while. If none can
read it either, it is parked, and the later events of its call go on.
"""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import TypeVar
from uuid import UUID

import structlog
from redis.asyncio import Redis

from contracts.events import CallEnded
from control_plane.calling.calls.events.envelope import ReceivedEvent, Unreadable, read_entry
from control_plane.calling.calls.events.group_transaction import Applied, Batch, apply_group, park
from control_plane.calling.calls.events.unreadable_events import UnreadableEvents
from control_plane.platform.database import Database
from control_plane.platform.errors import DatabaseUnavailable
from control_plane.platform.link import commands
from control_plane.platform.link.applied_cursors import publish_applied
from control_plane.platform.link.event_shards import ShardLeases
from control_plane.platform.link.event_stream import EventStreams
from control_plane.platform.link.media_positions import forget_media_positions
from link.persistent_loop import run_persistently
from link.stream_entry import StreamEntry

SWEEP_INTERVAL_SECONDS = 2.0
RELEASED_IDLE_MS = 60_000
"""Longer than any sweep's ``min_idle_ms``: the next sweep of any process gets a released event."""
GAP_PATIENCE_MS = 600_000
"""After this time an event behind a gap is dropped; its worker sends it again from the journal."""

GROUP_WEIGHT = 250
"""How much work shares a transaction. An event counts 1. An event that ends a call counts
``END_WEIGHT``, because it locks the tenant's account, and the tenant's new calls wait for that."""
END_WEIGHT = 20
GROUPS_AT_ONCE = 3
FIRST_RETRY_SECONDS = 0.2
LONGEST_RETRY_SECONDS = 2.0

CONSUMER_NAME = "jobs"
"""The name of all consumers: a stream is kept to one of them by its lease."""

_Result = TypeVar("_Result")
_log = structlog.get_logger(__name__)


class EventConsumer:
    """Run one per process that consumes events.

    Args:
        redis: a client whose timeout is longer than ``event_stream.BLOCK_SECONDS``.
        leases: which streams it may read. Without them it reads all: there must be no other one.
        now_ms: Unix time.
        clock: monotonic, in seconds.
    """

    def __init__(
        self,
        database: Database,
        redis: Redis,
        now_ms: Callable[[], int] = lambda: int(time.time() * 1000),
        clock: Callable[[], float] = time.monotonic,
        leases: ShardLeases | None = None,
    ) -> None:
        self._database = database
        self._redis = redis
        self._leases = leases
        self.stream = (
            EventStreams(redis, CONSUMER_NAME)
            if leases is None
            else EventStreams(redis, CONSUMER_NAME, lambda: leases.held)
        )
        self._now_ms = now_ms
        self.unreadable = UnreadableEvents(clock)
        self._swept_at = float("-inf")

    async def run(self) -> None:
        """Consume until cancelled."""
        await run_persistently(
            "events",
            self._consume_next,
            first_pause_seconds=FIRST_RETRY_SECONDS,
            longest_pause_seconds=LONGEST_RETRY_SECONDS,
        )

    async def _consume_next(self) -> None:
        if time.monotonic() - self._swept_at >= SWEEP_INTERVAL_SECONDS:
            await self.sweep()
            self._swept_at = time.monotonic()
        await self.consume(await self.stream.read_new())
        if self._leases is not None:
            await self._leases.nothing_in_hand()

    async def sweep(self, min_idle_ms: int = int(SWEEP_INTERVAL_SECONDS * 1000)) -> None:
        """Retry entries that were read but not finished: behind a gap, or by a process that died.

        Raises:
            RedisError: as ``consume``.
        """
        entries = await self.stream.reclaim(min_idle_ms)
        blocked = await self.consume(entries)
        lapsed = [e for e in entries if self._now_ms() - e.added_at_ms > GAP_PATIENCE_MS]
        await self.stream.finish([e for e in lapsed if _call_of(e) not in blocked])

    async def consume(self, entries: Sequence[StreamEntry]) -> frozenset[UUID]:
        """Apply a batch of stream entries and finish those that are done.

        Returns:
            The calls with events that are left to other processes, and may be blocked by them.

        Raises:
            RedisError: applied entries that were not finished will come again, as duplicates.
        """
        batches: dict[tuple[UUID, UUID], list[ReceivedEvent]] = defaultdict(list)
        left: list[ReceivedEvent] = []
        for entry in entries:
            match read_entry(entry):
                case Unreadable(fault=fault):
                    await _until_answered(partial(park, self._database, entry, fault))
                    await self.stream.finish([entry])
                case ReceivedEvent(event=None) as received if self._is_left(received):
                    left.append(received)
                case ReceivedEvent(envelope=envelope) as received:
                    batches[envelope.tenant_id, envelope.call_id].append(received)
        await self.stream.release([received.entry for received in left], RELEASED_IDLE_MS)
        outcomes = await self._apply_all(list(batches.values()))
        await self._report(
            {call_id: applied for (_, call_id), applied in zip(batches, outcomes, strict=True)}
        )
        return frozenset(received.envelope.call_id for received in left)

    def _is_left(self, received: ReceivedEvent) -> bool:
        """Whether to leave an event that cannot be read here to other processes."""
        envelope = received.envelope
        if self.unreadable.is_new(envelope):
            _log.error(
                "event_unreadable",
                call_id=str(envelope.call_id),
                seq=envelope.seq,
                fault=received.fault,
                count=self.unreadable.count,
            )
        return self.unreadable.is_left(envelope)

    async def _apply_all(self, batches: Sequence[Batch]) -> list[Applied]:
        slots = asyncio.Semaphore(GROUPS_AT_ONCE)

        async def apply(group: Sequence[Batch]) -> list[Applied]:
            async with slots:
                return await _until_answered(partial(apply_group, self._database, group))

        async with asyncio.TaskGroup() as groups:
            tasks = [groups.create_task(apply(group)) for group in groups_of(batches)]
        return [applied for task in tasks for applied in task.result()]

    async def _report(self, outcomes: dict[UUID, Applied]) -> None:
        """After the commits: publish the cursors, finish the entries, send the commands."""
        over = [call_id for call_id, applied in outcomes.items() if applied.is_over]
        await publish_applied(
            self._redis,
            {call: applied.seq for call, applied in outcomes.items() if applied.seq is not None},
            over,
        )
        await self.stream.finish(
            [entry for applied in outcomes.values() for entry in applied.finished]
        )
        await forget_media_positions(self._redis, over)
        await commands.send_all(
            self._redis,
            [
                commands.Addressed(applied.answer.worker_id, call_id, applied.answer.command)
                for call_id, applied in outcomes.items()
                if applied.answer is not None
            ],
        )


def groups_of(batches: Sequence[Batch]) -> list[list[Batch]]:
    """``batches`` in order, as many in a group as ``GROUP_WEIGHT`` allows, but at least one."""
    groups: list[list[Batch]] = []
    weight = GROUP_WEIGHT
    for batch in batches:
        added = sum(_weight(received) for received in batch)
        if weight + added > GROUP_WEIGHT:
            groups.append([])
            weight = 0
        groups[-1].append(batch)
        weight += added
    return groups


def _weight(received: ReceivedEvent) -> int:
    ends = received.event is not None and isinstance(received.event.body, CallEnded)
    return END_WEIGHT if ends else 1


def _call_of(entry: StreamEntry) -> UUID | None:
    received = read_entry(entry)
    return received.envelope.call_id if isinstance(received, ReceivedEvent) else None


async def _until_answered(attempt: Callable[[], Awaitable[_Result]]) -> _Result:
    """Repeat ``attempt`` until PostgreSQL answers."""
    retry_seconds = FIRST_RETRY_SECONDS
    while True:
        try:
            return await attempt()
        except DatabaseUnavailable:
            _log.warning("events_wait_for_database")
            await asyncio.sleep(retry_seconds)
            retry_seconds = min(2 * retry_seconds, LONGEST_RETRY_SECONDS)
