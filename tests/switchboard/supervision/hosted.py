"""A process host with parts that say what happens to them, one line each on standard output.

python -m tests.switchboard.supervision.hosted [refused]
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Mapping

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


def main() -> int:
    parts = [
        Part("first", until_told("first")),
        Part("second", refuse if "refused" in sys.argv else until_told("second")),
        Part("servant", until_told("servant"), serves_others=True),
    ]

    def changed(pids: Mapping[str, int]) -> None:
        say("pids", *sorted(pids))

    return ProcessHost(parts, changed, take_parent_fd()).run()


if __name__ == "__main__":
    sys.exit(main())
