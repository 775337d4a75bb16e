"""A process host with parts that say what happens to them, one line each on standard output.

python -m tests.switchboard.supervision.hosted [refused | refused-again FILE | no-room]
"""

from __future__ import annotations

import errno
import itertools
import os
import signal
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from switchboard.parent_watch import end_with_parent, take_parent_fd
from switchboard.supervision.process_host import REFUSED, Part, ProcessHost

_TOLD = {signal.SIGTERM, signal.SIGINT}


def say(*words: object) -> None:
    os.write(1, (" ".join(map(str, words)) + "\n").encode())


def until_told(name: str) -> Callable[[], int]:
    def run() -> int:
        # Blocked, so that none can come between a look and the wait for it.
        signal.pthread_sigmask(signal.SIG_BLOCK, _TOLD)
        end_with_parent()
        say(name, "runs", os.getpid())
        say(name, "told", signal.Signals(signal.sigwait(_TOLD)).name)
        return 0

    return run


def refuse() -> int:
    say("refused")
    return REFUSED


def refuse_again() -> int:
    """Runs at its first start and its third."""
    starts = Path(sys.argv[2])
    with starts.open("a") as file:
        file.write("x")
    return refuse() if len(starts.read_text()) == 2 else until_told("second")()


def refuse_forks(numbers: range) -> None:
    """These forks of the host fail, counted from 1."""
    fork, forks = os.fork, itertools.count(1)

    def fork_if_there_is_room() -> int:
        if next(forks) in numbers:
            raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))
        return fork()

    os.fork = fork_if_there_is_room


def main() -> int:
    if "no-room" in sys.argv:
        refuse_forks(range(4, 7))
    second = {"refused": refuse, "refused-again": refuse_again}
    parts = [
        Part("first", until_told("first")),
        Part("second", second.get("".join(sys.argv[1:2]), until_told("second"))),
        Part("servant", until_told("servant"), serves_others=True),
    ]

    def changed(pids: Mapping[str, int]) -> None:
        say("pids", *sorted(pids))

    return ProcessHost(parts, changed, take_parent_fd(), lambda: say("prepared")).run()


if __name__ == "__main__":
    sys.exit(main())
