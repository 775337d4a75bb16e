"""Errors of tasks that nobody awaits: logged with the call that the task belongs to.

The engine starts tasks of its own for each thing that it says. When one fails and nobody asks for
its result, asyncio reports it when the task is thrown away, and no longer knows whose it was.
"""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Coroutine, Generator
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

import structlog

logger = structlog.get_logger(__name__)

_CALL_ID = "call_id"
_Result = TypeVar("_Result")


def bind_call(call_id: str) -> None:
    """From here on, this task and all that it starts belong to the call. All that they log, in any
    library, names it."""
    structlog.contextvars.bind_contextvars(**{_CALL_ID: call_id})


class TaskErrors:
    """Logs what asyncio reports about the tasks of one event loop."""

    def __init__(self) -> None:
        self._calls: WeakKeyDictionary[asyncio.Future[Any], str] = WeakKeyDictionary()

    def install(self, loop: asyncio.AbstractEventLoop) -> None:
        loop.set_task_factory(self._start)
        loop.set_exception_handler(self._log)

    def _start(
        self,
        loop: asyncio.AbstractEventLoop,
        coroutine: Coroutine[Any, Any, _Result] | Generator[Any, None, _Result],
        context: contextvars.Context | None = None,
    ) -> asyncio.Task[_Result]:
        task: asyncio.Task[_Result] = asyncio.Task(coroutine, loop=loop, context=context)
        if (call_id := structlog.contextvars.get_contextvars().get(_CALL_ID)) is not None:
            self._calls[task] = call_id
        return task

    def _log(self, _loop: asyncio.AbstractEventLoop, report: dict[str, Any]) -> None:
        task = report.get("task") or report.get("future")
        call_id = None if task is None else self._calls.get(task)
        logger.error(
            "task.failed",
            **({} if call_id is None else {_CALL_ID: call_id}),
            message=report.get("message"),
            task=task.get_name() if isinstance(task, asyncio.Task) else None,
            exc_info=report.get("exception"),
        )
