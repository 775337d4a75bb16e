"""What PostgreSQL and Valkey have in common for the code that runs them."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from switchboard.services.command import Command, spawn, stop

START_TIMEOUT_SECONDS = 30.0
_POLL_SECONDS = 0.01


class ServerDidNotStart(RuntimeError):
    """An embedded server ended, or was not ready in time. The message has the end of its log."""


class EmbeddedServer(Protocol):
    """A server that can be prepared, started from its ``Command``, and checked."""

    @property
    def name(self) -> str: ...

    @property
    def url(self) -> str:
        """The address with its password. Known once ``prepare`` has returned."""
        ...

    def prepare(self) -> Command:
        """Make everything ready to start, and remove what a killed predecessor left. Blocks."""
        ...

    def is_ready(self, pid: int) -> bool:
        """Whether the process ``pid`` accepts connections. Blocks for at most half a second."""
        ...

    def release(self) -> None:
        """Free the directory for other processes. Call it after the server has ended."""
        ...


@contextmanager
def running(server: EmbeddedServer, log_path: Path) -> Iterator[str]:
    """Run ``server`` for the length of the ``with`` block, which gets its URL.

    Raises ``ServerDidNotStart``.
    """
    command = server.prepare()
    try:
        with log_path.open("ab") as log:
            process = spawn(command, log)
        try:
            _wait_until_ready(server, process, log_path)
            yield server.url
        finally:
            stop(process, command.stop_signal, grace_seconds=5)
    finally:
        server.release()


def _wait_until_ready(
    server: EmbeddedServer, process: subprocess.Popen[bytes], log_path: Path
) -> None:
    deadline = time.monotonic() + START_TIMEOUT_SECONDS
    while not server.is_ready(process.pid):
        if process.poll() is not None or time.monotonic() > deadline:
            raise ServerDidNotStart(f"{server.name} did not start:\n{log_tail(log_path)}")
        time.sleep(_POLL_SECONDS)


def log_tail(log_path: Path, lines: int = 10) -> str:
    """The last ``lines`` lines of a log file; empty when there is no file."""
    if not log_path.exists():
        return ""
    with log_path.open("rb") as log:
        log.seek(max(0, log_path.stat().st_size - 8192))
        return "\n".join(log.read().decode(errors="replace").splitlines()[-lines:])
