"""Runs one process of the system until a signal tells it to stop."""

from __future__ import annotations

import asyncio
import contextlib
import enum
import gc
import signal
from collections.abc import Awaitable, Callable, Iterator


class ProcessName(enum.StrEnum):
    """The processes that can be run and checked one by one."""

    API = "api"
    JOBS = "jobs"
    WORKER = "worker"
    BRIDGE = "bridge"


@contextlib.contextmanager
def importing() -> Iterator[None]:
    """For the imports of a process. What they make stays, so the garbage collector need never look
    at it. Looking at it again and again would take a fifth of the time that the imports take."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


async def run_until_stopped(run: Callable[[asyncio.Event], Awaitable[None]]) -> None:
    """Await ``run(stop)`` with signal handlers. SIGTERM sets ``stop``, so that the process finishes
    its work (a media worker drains). SIGINT, or a second SIGTERM, cancels it.
    """
    stop = asyncio.Event()
    task = asyncio.ensure_future(run(stop))

    def terminate() -> None:
        if stop.is_set():
            task.cancel()
        stop.set()

    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGTERM, terminate)
    loop.add_signal_handler(signal.SIGINT, task.cancel)
    try:
        await task
    except asyncio.CancelledError:
        if not task.cancelled():
            raise
