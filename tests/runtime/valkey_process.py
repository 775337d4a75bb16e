"""A Valkey of a test's own, which it may kill and start again."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import time
from pathlib import Path

from switchboard.services.valkey import ValkeyServer


class ValkeyProcess:
    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._server = ValkeyServer(directory / "data")
        self._process: subprocess.Popen[bytes] | None = None
        self.url = ""

    async def start(self) -> None:
        """Start on what is in the directory, and return once it answers."""
        await asyncio.to_thread(self._start)

    def _start(self) -> None:
        command = self._server.prepare()
        self.url = self._server.url
        with (self._directory / "log").open("ab") as log:
            self._process = subprocess.Popen(
                command.argv, cwd=command.cwd, stdout=log, stderr=subprocess.STDOUT
            )
        deadline = time.monotonic() + 10
        while not self._server.is_ready(self._process.pid):
            assert time.monotonic() < deadline, "Valkey did not start"
            time.sleep(0.02)

    async def kill(self) -> None:
        """kill -9."""
        await asyncio.to_thread(self._kill)

    def _kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None
        self._server.release()

    def hang(self) -> None:
        """Keep connections open and answer nothing."""
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)

    def go_on(self) -> None:
        """End ``hang``."""
        assert self._process is not None
        self._process.send_signal(signal.SIGCONT)

    async def lose_everything(self) -> None:
        """As ``kill``, and the disk is gone too."""
        await asyncio.to_thread(self._lose)

    def _lose(self) -> None:
        self._kill()
        for path in (self._directory / "data" / "appendonlydir").glob("*"):
            path.unlink()
