"""One process that should run until it is stopped."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

import structlog

from switchboard.services.command import Command
from switchboard.services.embedded_server import log_tail
from switchboard.supervision.launch import Launch, RunningProcess, executed
from switchboard.supervision.restarts import Restarts

_READY_POLL_SECONDS = 0.03
_ATTEMPTS_BEFORE_FIRST_READY = 3

log = structlog.get_logger(__name__)


class ChildFailed(RuntimeError):
    """A process kept ending, or was not ready in time. The message has the end of its log."""


@dataclass(frozen=True)
class ChildSpec:
    """What to run, and how to check that it serves.

    ``prepare`` blocks; it is called in a thread before every start. ``is_ready`` is called
    repeatedly with the process id; it must not block. ``launch`` starts the command.
    """

    name: str
    prepare: Callable[[], Command]
    is_ready: Callable[[int], Awaitable[bool]]
    ready_timeout_seconds: float = 60.0
    launch: Launch = executed


class Child:
    """Starts a process, restarts it when it ends, and stops it.

    ``on_change(child)`` is called after each start and each unexpected end.
    """

    def __init__(self, spec: ChildSpec, log_path: Path, on_change: Callable[[Child], None]) -> None:
        self.spec = spec
        self.log_path = log_path
        self.restarts = Restarts()
        self.last_exit_code: int | None = None
        self._on_change = on_change
        self._command: Command | None = None
        self._process: RunningProcess | None = None
        self._ready = asyncio.Event()
        self._running: asyncio.Task[None] | None = None

    @property
    def pid(self) -> int | None:
        """The process id, ``None`` while the process is not running."""
        if self._process is None or self._process.returncode is not None:
            return None
        return self._process.pid

    async def start(self) -> None:
        """Return once the process is ready. Raises ``ChildFailed``."""
        self._running = asyncio.create_task(self._keep_running(), name=self.spec.name)
        ready = asyncio.create_task(self._ready.wait())
        try:
            await asyncio.wait(
                {self._running, ready},
                timeout=self.spec.ready_timeout_seconds,
                return_when=asyncio.FIRST_COMPLETED,
            )
        finally:
            ready.cancel()
        if self._running.done():
            await self._running
        if not self._ready.is_set():
            raise ChildFailed(
                f"{self.spec.name} was not ready within {self.spec.ready_timeout_seconds:.0f} s:\n"
                f"{log_tail(self.log_path)}"
            )

    async def stop(self, grace_seconds: float) -> None:
        """Signal the process, wait ``grace_seconds``, then kill it."""
        if self._running is not None:
            self._running.cancel()
            await asyncio.wait({self._running})
        process, command = self._process, self._command
        if process is None or command is None:
            return
        if process.returncode is None:
            process.send_signal(command.stop_signal)
            try:
                await asyncio.wait_for(process.wait(), grace_seconds)
            except TimeoutError:
                # It may have ended in the very moment in which the time was up.
                if process.returncode is None:
                    log.warning("process killed: it did not stop in time", process=self.spec.name)
                    process.kill()
                    await process.wait()

    async def _keep_running(self) -> None:
        while True:
            self.restarts.started()
            try:
                await self._run_once()
                failure = f"{self.spec.name} ended with {self.last_exit_code}"
            except (OSError, RuntimeError) as error:
                # Preparing can fail for a moment, for example while a port is still in use.
                failure = f"{self.spec.name} could not be started: {error}"
            log.warning("process ended", process=self.spec.name, failure=failure)
            self.restarts.ended()
            if (
                not self._ready.is_set()
                and self.restarts.ends_in_a_row >= _ATTEMPTS_BEFORE_FIRST_READY
            ):
                raise ChildFailed(f"{failure}\n{log_tail(self.log_path)}")
            self._changed()
            await asyncio.sleep(self.restarts.wait_seconds or 0.0)

    async def _run_once(self) -> None:
        self._command = command = await asyncio.to_thread(self.spec.prepare)
        with self.log_path.open("ab") as output:
            self._process = process = await self.spec.launch(command, output)
        self._changed()
        watch = asyncio.create_task(self._watch_readiness(process.pid))
        try:
            self.last_exit_code = await process.wait()
        finally:
            watch.cancel()

    def _changed(self) -> None:
        try:
            self._on_change(self)
        except Exception:
            # Telling others, on a full disk for example, must not end the supervision.
            log.exception("change not reported", process=self.spec.name)

    async def _watch_readiness(self, pid: int) -> None:
        while not await self.spec.is_ready(pid):  # noqa: ASYNC110 - another process's state
            await asyncio.sleep(_READY_POLL_SECONDS)
        self._ready.set()
