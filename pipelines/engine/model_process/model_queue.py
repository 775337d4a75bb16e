"""Work for one model: one piece at a time, first come, first served."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

from telemetry.metrics import MODEL_QUEUE_AGE, MODEL_WAIT, MODEL_WORK

T = TypeVar("T")


class ModelQueue:
    """
    Args:
        model: the metrics' label.
        now: a monotonic clock, in seconds.
    """

    def __init__(self, model: str, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._turn = asyncio.Lock()
        self._waiting: dict[object, float] = {}
        """Since when each piece of work waits, the oldest first."""
        self._waited = MODEL_WAIT.labels(model)
        self._worked = MODEL_WORK.labels(model)
        MODEL_QUEUE_AGE.labels(model).set_function(lambda: self.oldest_seconds)

    @property
    def is_idle(self) -> bool:
        return not self._turn.locked() and not self._waiting

    @property
    def oldest_seconds(self) -> float:
        """How long the oldest piece of work has waited for its turn; 0 if none waits."""
        return self._now() - next(iter(self._waiting.values())) if self._waiting else 0.0

    async def run(self, work: Callable[[], Awaitable[T]]) -> T:
        """Do the work when its turn has come.

        Work that is cancelled before it has begun is dropped. A model cannot be stopped in the
        middle of its work, so other work waits until that is over.
        """
        since = self._now()
        ticket = object()
        self._waiting[ticket] = since
        try:
            await self._turn.acquire()
        finally:
            del self._waiting[ticket]
        begun = self._now()
        self._waited.observe(begun - since)
        working = asyncio.ensure_future(work())

        def over(done: asyncio.Future[T]) -> None:
            self._turn.release()
            self._worked.observe(self._now() - begun)
            if not done.cancelled():
                done.exception()  # Nobody waits for an error of work that was cancelled.

        working.add_done_callback(over)
        return await asyncio.shield(working)
