"""Encodes a recording's parts in a thread and stores them in order, with retries.

The call never waits for it. The parts that wait are limited in size; beyond the limit, new parts
are dropped.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass

import structlog

from contracts.recording import part_path
from runtime.link.closable_queue import ClosableQueue
from runtime.recording.part_cutter import Part
from runtime.recording.part_store import PartNotStored, PartStore

MOST_WAITING_BYTES = 4 * 2**20
"""Minutes of encoded speech. A part that is not encoded yet counts with its raw size, 0.7 MB."""
FIRST_RETRY_SECONDS = 0.5
LONGEST_RETRY_SECONDS = 10.0

logger = structlog.get_logger(__name__)


@dataclass(frozen=True)
class _Encoded:
    starts_at_ms: int
    content: bytes


class PartUpload:
    """Uploads the parts of one recording. ``run`` is its task; the other methods return at once."""

    def __init__(
        self,
        store: PartStore,
        folder: str,
        encode: Callable[[Part], bytes],
        executor: Executor,
    ) -> None:
        self._store = store
        self._folder = folder
        self._encode = encode
        self._executor = executor
        self._raw: ClosableQueue[Part] = ClosableQueue()
        self._encoded: ClosableQueue[_Encoded] = ClosableQueue()
        self.waiting_bytes = 0
        self.missing: dict[int, int] = {}
        """Parts that are not in the store: start → end of each, in ms of the call."""
        self._sent: list[str] = []

    def add(self, part: Part) -> None:
        self.missing[part.starts_at_ms] = part.ends_at_ms
        if self.waiting_bytes + _raw_bytes(part) > MOST_WAITING_BYTES:
            logger.warning("recording.part_given_up", starts_at_ms=part.starts_at_ms)
            return
        self.waiting_bytes += _raw_bytes(part)
        self._raw.put(part)

    def close(self) -> None:
        """No more parts will come. ``run`` returns when all are stored."""
        self._raw.close()

    async def run(self) -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(self._encode_parts())
            group.create_task(self._store_parts())

    async def delete(self) -> None:
        """Delete what was stored. Call it after ``run``. The control plane does it, too, and later:
        a part can still be on its way."""
        try:
            await self._store.delete(self._sent)
        except PartNotStored as error:
            logger.warning("recording.parts_not_deleted", error=str(error))

    async def _encode_parts(self) -> None:
        loop = asyncio.get_running_loop()
        async for part in self._raw:
            content = await loop.run_in_executor(self._executor, self._encode, part)
            self.waiting_bytes += len(content) - _raw_bytes(part)
            self._encoded.put(_Encoded(part.starts_at_ms, content))
        self._encoded.close()

    async def _store_parts(self) -> None:
        async for part in self._encoded:
            await self._store_part(part)
            self.waiting_bytes -= len(part.content)
            del self.missing[part.starts_at_ms]

    async def _store_part(self, part: _Encoded) -> None:
        wait_seconds = FIRST_RETRY_SECONDS
        path = part_path(self._folder, part.starts_at_ms)
        self._sent.append(path)
        while True:
            try:
                return await self._store.put(path, part.content)
            except PartNotStored as error:
                logger.warning(
                    "recording.part_not_stored", starts_at_ms=part.starts_at_ms, error=str(error)
                )
            await asyncio.sleep(wait_seconds)
            wait_seconds = min(2 * wait_seconds, LONGEST_RETRY_SECONDS)


def _raw_bytes(part: Part) -> int:
    tracks = (part.people, part.agent)
    return sum(frame.nbytes for track in tracks for frame in track if frame is not None)
