"""An asynchronous iterator that is fed from the same event loop and can end.

Unlike an asynchronous generator it survives a consumer that is cancelled while it waits.
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Generic, TypeVar

Item = TypeVar("Item")


class ClosableQueue(Generic[Item]):
    """``put`` items, ``close`` to end; iterate with one consumer. What was put before ``close`` is
    still delivered. A queue that is at its ``capacity`` drops the oldest item for a new one."""

    def __init__(self, capacity: int | None = None) -> None:
        self._items: deque[Item] = deque(maxlen=capacity)
        self._closed = False
        self._changed = asyncio.Event()

    def put(self, item: Item) -> None:
        """Does nothing after ``close``."""
        if not self._closed:
            self._items.append(item)
            self._changed.set()

    def close(self) -> None:
        """Idempotent."""
        self._closed = True
        self._changed.set()

    def __aiter__(self) -> ClosableQueue[Item]:
        return self

    async def __anext__(self) -> Item:
        while not self._items:
            if self._closed:
                raise StopAsyncIteration
            self._changed.clear()
            await self._changed.wait()
        return self._items.popleft()
