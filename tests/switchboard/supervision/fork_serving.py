"""A fork server whose processes do what their first argument says.

python -m tests.switchboard.supervision.fork_serving CHANNEL FULL

While there is a file FULL, no fork succeeds.
"""

from __future__ import annotations

import errno
import os
import socket
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from switchboard.parent_watch import end_with_parent
from switchboard.supervision.fork_server import ForkServer


def run(arguments: Sequence[str]) -> int:
    match arguments:
        case ["describe"]:
            print("environment", *sorted(os.environ))
            print("cwd", Path.cwd())
            print("arguments", *arguments)
        case ["read", number]:
            print("read", os.read(int(number), 100).decode())
        case ["fail"]:
            return 7
        case ["stay"]:
            end_with_parent()
            while True:
                time.sleep(1)
    return 0


def refuse_forks_while(full: Path) -> None:
    fork = os.fork

    def fork_if_there_is_room() -> int:
        if full.exists():
            raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))
        return fork()

    os.fork = fork_if_there_is_room


if __name__ == "__main__":
    refuse_forks_while(Path(sys.argv[2]))
    ForkServer(socket.socket(fileno=int(sys.argv[1])), run).serve()
