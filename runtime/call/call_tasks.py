"""The tasks of one call. They die with it, and a failure in one ends the call."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any

import structlog

from runtime.call.end_cause import CallFailure, Cause, Ending
from runtime.media.room import RoomClosed

logger = structlog.get_logger(__name__)


class CallTasks:
    """
    Args:
        ending: once it is set, no more work is taken.
        failed: gets the failures that a task expects.
        end: gets what any other exception means.
    """

    def __init__(
        self,
        ending: asyncio.Event,
        failed: Callable[[CallFailure], None],
        end: Callable[[Ending], None],
    ) -> None:
        self._ending = ending
        self._failed = failed
        self._end = end
        self._group: asyncio.TaskGroup | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Tasks run inside of this block. At its end they are cancelled."""
        try:
            async with asyncio.TaskGroup() as self._group:
                yield
                for task in self._tasks:
                    task.cancel()
        finally:
            self._group = None

    def spawn(self, work: Coroutine[Any, Any, None]) -> None:
        """Run ``work`` as a task.

        Raises:
            RoomClosed: the call is not running, or ending.
        """
        if self._group is None or self._ending.is_set():
            work.close()
            raise RoomClosed("the call is ending")
        task = self._group.create_task(self.reporting_failure(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        task.add_done_callback(lambda _: work.close())

    async def until_first(self, *works: Coroutine[Any, Any, None], timeout_seconds: float) -> None:
        """Run the last ``works`` of a call that is ending, until one is done."""
        assert self._group is not None
        tasks = [self._group.create_task(self.reporting_failure(work)) for work in works]
        await asyncio.wait(tasks, timeout=timeout_seconds, return_when=asyncio.FIRST_COMPLETED)
        for task in tasks:
            task.cancel()

    async def reporting_failure(self, work: Coroutine[Any, Any, None]) -> None:
        """Run ``work``. Only cancellation is raised."""
        try:
            await work
        except CallFailure as failure:
            self._failed(failure)
        except Exception as error:
            logger.exception("call.task_failed")
            self._end(Ending.because(Cause.SESSION_FAILED, f"{type(error).__name__}: {error}"))
