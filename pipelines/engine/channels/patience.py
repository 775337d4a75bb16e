"""A deadline that moves with every piece that comes."""

from __future__ import annotations

import asyncio
from types import TracebackType


class Patience:
    """Use it as a context around each wait, in one task at a time. It raises ``TimeoutError`` like
    ``asyncio.timeout``, but has one timer for many waits instead of one for each: an answer has
    hundreds of pieces, and nearly all are there in time.
    """

    def __init__(self, seconds: float) -> None:
        """The deadline is that long from now."""
        self._loop = asyncio.get_running_loop()
        self._due_at = self._loop.time() + seconds
        self._timer: asyncio.TimerHandle | None = None
        self._waiting: asyncio.Task[object] | None = None
        self._cancelling = 0
        self._has_expired = False

    def allow(self, seconds: float) -> None:
        """The deadline is now that long from now."""
        self._due_at = self._loop.time() + seconds

    def end(self) -> None:
        """Nothing is waited for any more."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def __enter__(self) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._waiting = task
        self._cancelling = task.cancelling()
        if self._timer is None or self._timer.when() > self._due_at:
            self._set_timer()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        task, self._waiting = self._waiting, None
        if self._has_expired and task is not None:
            self._has_expired = False
            # Somebody else may have cancelled the task at the same time.
            if task.uncancel() <= self._cancelling and kind is asyncio.CancelledError:
                raise TimeoutError from error

    def _set_timer(self) -> None:
        self.end()
        self._timer = self._loop.call_at(self._due_at, self._check)

    def _check(self) -> None:
        self._timer = None
        if self._waiting is None:
            return
        if self._loop.time() < self._due_at:
            self._set_timer()
            return
        self._has_expired = True
        self._waiting.cancel()
