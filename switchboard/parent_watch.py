"""Children that end with their supervisor, even when it is killed, on every operating system.

The supervisor holds one end of a pipe that nobody writes to. When it dies, the kernel closes that
end, and every child reads the end of the file.
"""

from __future__ import annotations

import os
import signal
import threading
import time

PARENT_FD = "SWITCHBOARD_PARENT_FD"
"""Environment variable: number of the pipe's read end in the child."""

_GRACE_SECONDS = 2.0


class ParentPipe:
    """The supervisor's side: children inherit ``read_fd`` and find its number in ``PARENT_FD``."""

    def __init__(self) -> None:
        self.read_fd, self._write_fd = os.pipe()

    def keep_read_end(self) -> None:
        """In a forked child: it must not hold the end whose closing it waits for."""
        os.close(self._write_fd)

    def close(self) -> None:
        os.close(self._write_fd)
        os.close(self.read_fd)


def end_with_parent() -> None:
    """The child's side: watch the supervisor from a thread. Does nothing without a supervisor.

    When the supervisor ends, this process gets SIGINT as from Ctrl-C, and exits two seconds later
    if it still runs.
    """
    fd = take_parent_fd()
    if fd is not None:
        threading.Thread(target=_watch, args=(fd,), daemon=True, name="parent").start()


def take_parent_fd() -> int | None:
    """The pipe that ends with the supervisor, for a process that watches it itself."""
    number = os.environ.pop(PARENT_FD, None)
    return None if number is None else int(number)


def _watch(fd: int) -> None:
    os.read(fd, 1)
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(_GRACE_SECONDS)
    os._exit(1)
