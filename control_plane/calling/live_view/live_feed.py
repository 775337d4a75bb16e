"""One reader for everybody in this process who watches calls.

However many viewers there are, there is one blocking read on Redis over all watched calls, and one
query every other second that asks where these calls stand. While nobody watches nothing runs.
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
from control_plane.calling.live_view.errors import TooManyViewers
from control_plane.calling.live_view.live_tail import LiveTail
from control_plane.calling.live_view.repository import Standing, standings
from control_plane.platform.database import Database
from control_plane.platform.errors import DatabaseUnavailable
from control_plane.platform.link.live_streams import EntryId, LiveEntry, kept_entries, new_entries
from link.connection import LINK_ERRORS

_BLOCK_MS = 200
"""How long one read waits: somebody who comes is part of the next one."""
_COUNT = 200
_AWAY_SECONDS = 1.0
"""Between two tries while Redis or PostgreSQL is away."""

_log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class LiveViewTiming:
    keep_alive_seconds: float = 15.0
    standing_seconds: float = 2.0
    """How often the record is asked where the watched calls stand."""
    ending_seconds: float = 0.2
    """The same while a worker has told the end of a call that the record does not know of yet."""
    settling_seconds: float = 10.0
    """For how long that is asked so often."""
    longest_seconds: float = 900.0
    """After this a viewer must come again, with a key that is still good."""


class WatchedCall:
    """What the viewers of one call share."""

    def __init__(self, standing: Standing, since: EntryId) -> None:
        self.standing = standing
        self.tail = LiveTail(since)
        self.viewers: set[Watch] = set()
        self.over_live_at: float | None = None
        """When the worker told the end, on the loop's clock."""

    def add(self, entries: Sequence[LiveEntry], now: float) -> None:
        self.tail.add(entries)
        if any(isinstance(entry.body, CallOver) for entry in entries):
            self.over_live_at = now
        self.wake()

    def wake(self) -> None:
        for viewer in self.viewers:
            viewer.woken.set()


class Watch:
    """One viewer's hold on a call."""

    def __init__(self, call: WatchedCall) -> None:
        self.woken = asyncio.Event()
        self._call = call

    @property
    def tail(self) -> LiveTail:
        return self._call.tail

    @property
    def standing(self) -> Standing:
        return self._call.standing

    async def changed(self, seconds: float) -> bool:
        """Wait for news; ``False`` if there were none in ``seconds``."""
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
        redis: a client that waits longer than ``_BLOCK_MS`` for an answer.
        most_viewers: what one process takes on.
    """

    def __init__(
        self,
        redis: Redis,
        database: Database,
        timing: LiveViewTiming | None = None,
        most_viewers: int = 1_000,
    ) -> None:
        self.timing = timing or LiveViewTiming()
        self._redis = redis
        self._database = database
        self._most_viewers = most_viewers
        self._viewers = 0
        self._calls: dict[UUID, WatchedCall] = {}
        self._ending = asyncio.Event()
        """The end of some call was told live."""
        self._tasks: dict[str, asyncio.Task[None]] = {}

    @property
    def viewers(self) -> int:
        return self._viewers

    def check_room(self) -> None:
        """
        Raises:
            TooManyViewers: this process takes no more.
        """
        if self._viewers >= self._most_viewers:
            raise TooManyViewers

    @contextmanager
    def watching(self, call_id: UUID, standing: Standing, since: EntryId) -> Iterator[Watch]:
        """Follow a call from ``since`` on.

        Args:
            standing: what the record said a moment ago.
        """
        call = self._calls.setdefault(call_id, WatchedCall(standing, since))
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
        """What Redis keeps of a call's stream; nothing while Redis is away."""
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
            self._tasks[name] = asyncio.create_task(work(), name=f"live-feed-{name}")

    async def _follow(self) -> None:
        """Until nobody watches: append what is new to the tails."""
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
        """Until nobody watches: ask where the calls stand."""
        while self._calls:
            await self._wait_for_turn()
            running = [
                call_id for call_id, call in self._calls.items() if not call.standing.is_over
            ]
            if not running:
                continue
            try:
                async with self._database.system_session() as session:
                    found = await standings(session, running)
            except DatabaseUnavailable:
                _log.warning("live_view_waits_for_database")
                await asyncio.sleep(_AWAY_SECONDS)
                continue
            for call_id, standing in found.items():
                call = self._calls.get(call_id)
                if call is not None and call.standing != standing:
                    call.standing = standing
                    call.wake()

    async def _wait_for_turn(self) -> None:
        now = asyncio.get_running_loop().time()
        is_settling = any(
            call.over_live_at is not None
            and not call.standing.is_over
            and now - call.over_live_at < self.timing.settling_seconds
            for call in self._calls.values()
        )
        if is_settling:
            await asyncio.sleep(self.timing.ending_seconds)
            return
        self._ending.clear()
        try:
            async with asyncio.timeout(self.timing.standing_seconds):
                await self._ending.wait()
        except TimeoutError:
            return
