"""One reader for all viewers in this process.

However many viewers there are, there is one blocking read of Redis for all watched calls, and one
query every two seconds for their status in the database. Nothing runs while nobody watches.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import structlog
from redis.asyncio import Redis

from contracts.live_messages import CallOver
from control_plane.calling.live_view.live_tail import LiveTail
from control_plane.calling.live_view.repository import RecordedStatus, recorded_statuses
from control_plane.platform.database import Database
from control_plane.platform.errors import DatabaseUnavailable
from control_plane.platform.link.live_streams import EntryId, LiveEntry, kept_entries, new_entries
from link.connection import LINK_ERRORS

_BLOCK_MS = 200
"""How long one read waits. A new viewer's call is part of the next read."""
_COUNT = 200
_AWAY_SECONDS = 1.0
"""Pause between two attempts while Redis or PostgreSQL is away."""

_log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class LiveViewTiming:
    keep_alive_seconds: float = 15.0
    status_seconds: float = 2.0
    """How often the status of the watched calls is read from the database."""
    ending_seconds: float = 0.2
    """The same while a worker has reported an end that is not in the database yet."""
    settling_seconds: float = 10.0
    """For how long it is read that often."""
    longest_seconds: float = 900.0
    """After this time a viewer must reconnect with a key that is still valid."""


class WatchedCall:
    """What the viewers of one call share."""

    def __init__(self, status: RecordedStatus, since: EntryId) -> None:
        self.status = status
        self.tail = LiveTail(since)
        self.viewers: set[Watch] = set()
        self.over_live_at: float | None = None
        """When the worker reported the end, on the clock of the event loop."""

    def add(self, entries: Sequence[LiveEntry], now: float) -> None:
        self.tail.add(entries)
        if any(isinstance(entry.body, CallOver) for entry in entries):
            self.over_live_at = now
        self.wake()

    def wake(self) -> None:
        for viewer in self.viewers:
            viewer.woken.set()


class Watch:
    """One viewer's view of a call."""

    def __init__(self, call: WatchedCall) -> None:
        self.woken = asyncio.Event()
        self._call = call

    @property
    def tail(self) -> LiveTail:
        return self._call.tail

    @property
    def status(self) -> RecordedStatus:
        return self._call.status

    async def changed(self, seconds: float) -> bool:
        """Wait until something changes; ``False`` if nothing did within ``seconds``."""
        try:
            async with asyncio.timeout(seconds):
                await self.woken.wait()
        except TimeoutError:
            return False
        self.woken.clear()
        return True


class LiveFeed:
    """
    Args:
        redis: a client whose timeout is longer than ``_BLOCK_MS``.
    """

    def __init__(
        self, redis: Redis, database: Database, timing: LiveViewTiming | None = None
    ) -> None:
        self.timing = timing or LiveViewTiming()
        self._redis = redis
        self._database = database
        self._viewers = 0
        self._calls: dict[UUID, WatchedCall] = {}
        self._ending = asyncio.Event()
        """Set when a worker has reported the end of a watched call."""
        self._tasks: dict[str, asyncio.Task[None]] = {}

    @property
    def viewers(self) -> int:
        return self._viewers

    @contextmanager
    def watching(self, call_id: UUID, status: RecordedStatus, since: EntryId) -> Iterator[Watch]:
        """Watch a call from ``since`` on.

        Args:
            status: what the database said a moment ago.
        """
        call = self._calls.setdefault(call_id, WatchedCall(status, since))
        watch = Watch(call)
        call.viewers.add(watch)
        self._viewers += 1
        self._keep_running("follow", self._follow)
        self._keep_running("observe", self._observe)
        try:
            yield watch
        finally:
            self._viewers -= 1
            call.viewers.discard(watch)
            if not call.viewers:
                del self._calls[call_id]

    async def kept(
        self, call_id: UUID, after: EntryId, count: int | None = None
    ) -> list[LiveEntry]:
        """The entries of a call's stream that Redis still holds; none while Redis is away."""
        try:
            return await kept_entries(self._redis, call_id, after, count)
        except LINK_ERRORS as error:
            _log.warning("live_stream_unreachable", call_id=str(call_id), error=str(error))
            return []

    async def aclose(self) -> None:
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    def _keep_running(self, name: str, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        running = self._tasks.get(name)
        if running is None or running.done():
            again = self._until_nobody_watches(name, work)
            self._tasks[name] = asyncio.create_task(again, name=f"live-feed-{name}")

    async def _until_nobody_watches(
        self, name: str, work: Callable[[], Coroutine[Any, Any, None]]
    ) -> None:
        """Begin again after an error: without a reader, viewers would see a silent stream."""
        while self._calls:
            try:
                await work()
            except Exception:  # noqa: BLE001 - whatever it is, others are watching
                _log.exception("live_view_reader_failed", reader=name)
                await asyncio.sleep(_AWAY_SECONDS)

    async def _follow(self) -> None:
        """Append new entries to the tails, until nobody watches."""
        is_away = False
        while self._calls:
            positions = {call_id: call.tail.newest for call_id, call in self._calls.items()}
            try:
                found = await new_entries(self._redis, positions, count=_COUNT, block_ms=_BLOCK_MS)
            except LINK_ERRORS as error:
                if not is_away:
                    _log.warning("live_streams_unreachable", error=str(error))
                is_away = True
                await asyncio.sleep(_AWAY_SECONDS)
                continue
            is_away = False
            now = asyncio.get_running_loop().time()
            for call_id, entries in found.items():
                if (call := self._calls.get(call_id)) is not None:
                    call.add(entries, now)
                    if call.over_live_at is not None:
                        self._ending.set()

    async def _observe(self) -> None:
        """Read the status of the calls, until nobody watches."""
        while self._calls:
            await self._wait_for_turn()
            running = [call_id for call_id, call in self._calls.items() if not call.status.is_over]
            if not running:
                continue
            try:
                async with self._database.system_session() as session:
                    found = await recorded_statuses(session, running)
            except DatabaseUnavailable:
                _log.warning("live_view_waits_for_database")
                await asyncio.sleep(_AWAY_SECONDS)
                continue
            for call_id, status in found.items():
                call = self._calls.get(call_id)
                if call is not None and call.status != status:
                    call.status = status
                    call.wake()

    async def _wait_for_turn(self) -> None:
        now = asyncio.get_running_loop().time()
        is_settling = any(
            call.over_live_at is not None
            and not call.status.is_over
            and now - call.over_live_at < self.timing.settling_seconds
            for call in self._calls.values()
        )
        if is_settling:
            await asyncio.sleep(self.timing.ending_seconds)
            return
        self._ending.clear()
        try:
            async with asyncio.timeout(self.timing.status_seconds):
                await self._ending.wait()
        except TimeoutError:
            return
