"""Stores of parts that do what a test tells them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from runtime.recording.part_store import PartNotStored


class MemoryPartStore:
    """``away``: every attempt fails. ``slow_seconds``: each takes so long."""

    def __init__(self, *, away: bool = False, slow_seconds: float = 0.0) -> None:
        self.away = away
        self.slow_seconds = slow_seconds
        self.attempts = 0
        self.objects: dict[str, bytes] = {}
        self.has_some = asyncio.Event()

    async def put(self, path: str, content: bytes) -> None:
        self.attempts += 1
        await asyncio.sleep(self.slow_seconds)
        if self.away:
            raise PartNotStored("the store of the test is away")
        self.objects[path] = content
        self.has_some.set()

    async def delete(self, paths: Sequence[str]) -> None:
        if self.away:
            raise PartNotStored("the store of the test is away")
        for path in paths:
            self.objects.pop(path, None)
