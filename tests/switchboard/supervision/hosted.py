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


def say(*words: object) -> None:
    os.write(1, (" ".join(map(str, words)) + "\n").encode())


def until_told(name: str) -> Callable[[], int]:
    def run() -> int:
        told: list[int] = []
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda given, _: told.append(given))
        end_with_parent()
        say(name, "runs", os.getpid())
        while not told:
            signal.pause()
        say(name, "told", signal.Signals(told[0]).name)
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
