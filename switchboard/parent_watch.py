"""A child that ends when its supervisor has ended, however that happened, on every system.

The supervisor holds one end of a pipe that nobody writes to. When it dies the kernel closes that
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


def end_with_parent() -> None:
    """Watch the supervisor from a thread; without a supervisor do nothing.

    The process gets SIGINT as from Ctrl-C; one that is still there two seconds later just ends.
    """
    number = os.environ.pop(PARENT_FD, None)
    if number is not None:
        threading.Thread(target=_watch, args=(int(number),), daemon=True, name="parent").start()


def _watch(fd: int) -> None:
    os.read(fd, 1)
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(_GRACE_SECONDS)
    os._exit(1)
