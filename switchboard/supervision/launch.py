"""How the supervisor starts a process from a command."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import BinaryIO, Protocol

from switchboard.services.command import Command


class RunningProcess(Protocol):
    """As ``asyncio.subprocess.Process``."""

    @property
    def pid(self) -> int: ...

    @property
    def returncode(self) -> int | None:
        """Its exit code, or the negative number of the signal that ended it; ``None`` while it
        runs."""

    def send_signal(self, signal: int, /) -> None: ...

    def kill(self) -> None: ...

    async def wait(self) -> int:
        """Return its ``returncode`` once it has ended."""
        ...


Launch = Callable[[Command, BinaryIO], Awaitable[RunningProcess]]
"""Starts a command with both outputs going to a file. Raises ``OSError``."""


async def executed(command: Command, output: BinaryIO) -> RunningProcess:
    """As a program of its own."""
    return await asyncio.create_subprocess_exec(
        *command.argv, stdout=output, stderr=output, **command.popen_options()
    )
