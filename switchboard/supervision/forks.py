"""The supervisor's side of a fork server (``switchboard/supervision/fork_server.py``)."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import BinaryIO

from switchboard.parent_watch import PARENT_FD
from switchboard.services.command import Command
from switchboard.supervision.fork_server import (
    ENDED,
    FAILED,
    ORDER,
    READY,
    STARTED,
    Order,
)

_PROGRAM_WORDS = 3
"""``python -m switchboard`` begins each command; its arguments follow."""


class ForkedProcess:
    """As ``launch.RunningProcess``."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.returncode: int | None = None
        self._over = asyncio.Event()

    def send_signal(self, signal: int, /) -> None:
        if self.returncode is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, signal)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    async def wait(self) -> int:
        await self._over.wait()
        assert self.returncode is not None
        return self.returncode

    def ended(self, returncode: int) -> None:
        self.returncode = returncode
        self._over.set()


class Forks:
    """Starts processes by asking a fork server, which is itself a child of the supervisor: its
    ``ChildSpec`` has ``prepare`` and ``is_ready``.

    Args:
        server: the server's command, given the descriptor of its channel.
    """

    def __init__(self, server: Callable[[int], Command]) -> None:
        self._server = server
        self._channel: socket.socket | None = None
        self._theirs: socket.socket | None = None
        self._heard = b""
        self._ready = asyncio.Event()
        self._turn = asyncio.Lock()
        self._ordered: deque[asyncio.Future[ForkedProcess]] = deque()
        self._running: dict[int, ForkedProcess] = {}

    def prepare(self) -> Command:
        """The command of a server with a new channel."""
        self._channel, self._theirs = socket.socketpair()
        self._channel.setblocking(False)
        return self._server(self._theirs.fileno())

    async def is_ready(self, _pid: int) -> bool:
        """Whether the server has imported everything."""
        if self._theirs is not None and self._channel is not None:
            # It runs and has its own copy. While we had one, we would not see that it ends.
            self._theirs.close()
            self._theirs, self._heard = None, b""
            asyncio.get_running_loop().add_reader(self._channel, self._hear, self._channel)
        return self._ready.is_set()

    async def launch(self, command: Command, output: BinaryIO) -> ForkedProcess:
        """Fork a process that runs ``command``, once the server is ready.

        Raises:
            OSError: the server has ended, or could not fork.
        """
        options = command.popen_options()
        parent_fd = int(options["env"][PARENT_FD])
        descriptors = tuple(fd for fd in command.inherited_fds if fd != parent_fd)
        order = Order(
            arguments=command.argv[_PROGRAM_WORDS:],
            environment=options["env"],
            cwd=command.cwd,
            descriptors=descriptors,
        )
        async with self._turn:
            await self._ready.wait()
            assert self._channel is not None
            read_fd, write_fd = os.pipe()
            try:
                socket.send_fds(self._channel, [ORDER], [read_fd, output.fileno(), *descriptors])
            except OSError:
                os.close(write_fd)
                raise
            finally:
                os.close(read_fd)
            started: asyncio.Future[ForkedProcess] = asyncio.get_running_loop().create_future()
            self._ordered.append(started)
            # In a thread, because the pipe may be full before the process reads it.
            await asyncio.to_thread(_write, write_fd, order.model_dump_json().encode())
            return await started

    def _hear(self, channel: socket.socket) -> None:
        try:
            heard = channel.recv(4096)
        except BlockingIOError:
            return
        except ConnectionError:
            heard = b""
        if not heard:
            self._lost(channel)
            return
        *lines, self._heard = (self._heard + heard).split(b"\n")
        for line in lines:
            self._told(line.decode().split())

    def _told(self, words: list[str]) -> None:
        match words:
            case [what] if what == READY:
                self._ready.set()
            case [what, pid] if what == STARTED:
                process = self._running[int(pid)] = ForkedProcess(int(pid))
                started = self._ordered.popleft()
                if not started.done():
                    started.set_result(process)
            case [what, number] if what == FAILED:
                started = self._ordered.popleft()
                if not started.done():
                    started.set_exception(OSError(int(number), os.strerror(int(number))))
            case [what, pid, returncode] if what == ENDED:
                self._running.pop(int(pid)).ended(int(returncode))

    def _lost(self, channel: socket.socket) -> None:
        """The server has ended, and what it forked ends with it."""
        asyncio.get_running_loop().remove_reader(channel)
        channel.close()
        self._ready.clear()
        for started in self._ordered:
            if not started.done():
                started.set_exception(OSError("the process that forks others has ended"))
        self._ordered.clear()
        for process in self._running.values():
            process.ended(-signal.SIGKILL)
        self._running.clear()


def _write(fd: int, order: bytes) -> None:
    # If nobody reads the order, the server tells what became of it.
    with suppress(BrokenPipeError), os.fdopen(fd, "wb") as pipe:
        pipe.write(order)
