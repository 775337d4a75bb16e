"""A process that has imported what others need, and forks them when its supervisor asks.

Each order comes as one byte with descriptors. The first is a pipe that only the new process reads:
in it are its arguments and its environment. So the server knows no secret of what it forks, and one
forked process knows none of another.
"""

from __future__ import annotations

import fcntl
import json
import os
import select
import socket
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from pydantic import BaseModel

from switchboard.parent_watch import PARENT_FD, ParentPipe
from switchboard.supervision.forking import STOPPING, forked, woken_by_signals

ORDER = b"f"
READY, STARTED, FAILED, ENDED = "ready", "started", "failed", "ended"
"""What the server tells, a line each: ``ready``, ``started PID``, ``failed ERRNO`` instead, and
``ended PID EXIT_CODE``."""
_MOST_DESCRIPTORS = 16


class Order(BaseModel):
    """What a new process is to do."""

    arguments: tuple[str, ...]
    environment: dict[str, str]
    """All of it. ``PARENT_FD`` is where the process expects the pipe that ends with its parent."""
    cwd: Path
    descriptors: tuple[int, ...]
    """The numbers under which the process expects the descriptors that came with the order, apart
    from the pipe with the order and the output."""


class ForkServer:
    """
    Args:
        channel: to the supervisor. When it ends, the server and all that it forked end.
        run: called in each new process with its arguments. Returns the exit code.
    """

    def __init__(self, channel: socket.socket, run: Callable[[Sequence[str]], int]) -> None:
        self._channel = channel
        self._run = run
        self._own = ParentPipe()

    def serve(self) -> None:
        """Return when the supervisor or a signal says so. Call it in the main thread of a process
        without other threads."""
        with woken_by_signals() as wake_fd:
            self._tell(READY)
            while True:
                ready, _, _ = select.select([wake_fd, self._channel.fileno()], [], [])
                if wake_fd in ready:
                    if any(number in STOPPING for number in os.read(wake_fd, 512)):
                        return
                    self._reap()
                if self._channel.fileno() in ready:
                    order, descriptors, _, _ = socket.recv_fds(self._channel, 1, _MOST_DESCRIPTORS)
                    if not order:
                        return
                    self._fork(descriptors)

    def _fork(self, descriptors: list[int]) -> None:
        try:
            told: tuple[object, ...] = (
                STARTED,
                forked(partial(self._become, descriptors), self._own),
            )
        except OSError as error:
            # For want of memory or of processes. What was forked before goes on.
            told = FAILED, error.errno
        for fd in descriptors:
            os.close(fd)
        self._tell(*told)

    def _reap(self) -> None:
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if not pid:
                return
            self._tell(ENDED, pid, os.waitstatus_to_exitcode(status))

    def _tell(self, *words: object) -> None:
        self._channel.sendall((" ".join(map(str, words)) + "\n").encode())

    def _become(self, descriptors: Sequence[int]) -> int:
        self._channel.close()
        order_fd, output_fd, *inherited = descriptors
        with os.fdopen(order_fd, "rb") as pipe:
            order = Order.model_validate(json.load(pipe))
        for standard in (1, 2):
            os.dup2(output_fd, standard)
        os.close(output_fd)
        parent_fd = int(order.environment[PARENT_FD])
        _renumber([self._own.read_fd, *inherited], [parent_fd, *order.descriptors])
        os.environ.clear()
        os.environ.update(order.environment)
        os.chdir(order.cwd)
        return self._run(order.arguments)


def _renumber(descriptors: Sequence[int], numbers: Sequence[int]) -> None:
    """Let each descriptor have its new number, also where that is the old one of another."""
    above = max(numbers) + 1
    copies = [fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, above) for fd in descriptors]
    for fd in descriptors:
        os.close(fd)
    for copy, number in zip(copies, numbers, strict=True):
        os.dup2(copy, number)
        os.close(copy)
