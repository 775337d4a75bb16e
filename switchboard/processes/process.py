"""Runs one process of the system until a signal tells it to stop."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import signal
from collections.abc import Awaitable, Callable, Iterator

from switchboard.processes.accept_failures import AcceptFailures
from telemetry.health import Health
from telemetry.process_name import ProcessName
from telemetry.settings import TelemetryOptions

Work = Callable[[asyncio.Event, Health], Awaitable[None]]
"""What a process does until the event is set. It tells the ``Health`` what it depends on."""


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


async def run_watched(
    process: ProcessName, options: TelemetryOptions, work: Work, *, together_seconds: float = 0.0
) -> None:
    """As ``run_until_stopped``, with the monitoring port and with traces. What the process cannot
    accept is one line a second in its log.

    Raises:
        PortTaken: another program listens on that port.
    """
    from telemetry.monitoring_server import monitored
    from telemetry.tracing import traced

    health = Health()
    asyncio.get_running_loop().set_exception_handler(AcceptFailures())

    async def run(stop: asyncio.Event) -> None:
        health.is_stopping = stop.is_set
        await work(stop, health)

    with traced(process, options):
        async with monitored(process, options, health):
            await run_until_stopped(run, together_seconds=together_seconds)


async def run_until_stopped(
    run: Callable[[asyncio.Event], Awaitable[None]], *, together_seconds: float = 0.0
) -> None:
    """Await ``run(stop)`` with signal handlers. SIGTERM sets ``stop``, so that the process finishes
    its work (a media worker drains). SIGINT, or a second SIGTERM, cancels it.

    Args:
        together_seconds: SIGTERMs that come within so many seconds of the first are one. A service
            manager sends it to every process of a service, and their host passes its own on.
    """
    stop = asyncio.Event()
    task = asyncio.ensure_future(run(stop))
    loop = asyncio.get_running_loop()
    told_at: float | None = None

    def terminate() -> None:
        nonlocal told_at
        if told_at is None:
            told_at = loop.time()
            stop.set()
        elif loop.time() - told_at >= together_seconds:
            task.cancel()

    loop.add_signal_handler(signal.SIGTERM, terminate)
    loop.add_signal_handler(signal.SIGINT, task.cancel)
    try:
        await task
    except asyncio.CancelledError:
        if not task.cancelled():
            raise
