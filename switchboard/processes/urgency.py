"""How a media worker gets a processor before other programs that compute."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

import structlog

STARTING_NICENESS = 10

log = structlog.get_logger(__name__)


class Urgency:
    """``niceness`` (nice(2)) for a process that is warm. While it starts, it gives way to the calls
    of others, if it can come back from there.

    To come back, and to go below what the process has from its beginning, the system must allow it:
    root, or a limit such as systemd's ``LimitNICE``. Otherwise the process never gives way, and
    keeps what it has if ``niceness`` is below that.
    """

    def __init__(self, niceness: int) -> None:
        own = os.getpriority(os.PRIO_PROCESS, 0)
        self._niceness = niceness
        self._may_come_back = _may_become(min(niceness, own - 1))
        self._is_allowed = self._may_come_back or niceness >= own
        if not self._is_allowed:
            log.info("worker.niceness_not_allowed", wanted=niceness)

    def starts(self) -> None:
        if self._may_come_back:
            _set(max(self._niceness, STARTING_NICENESS))

    def is_warm(self) -> None:
        if self._is_allowed:
            _set(self._niceness)


def _may_become(niceness: int) -> bool:
    """Whether the process may have ``niceness``, which is below its own."""
    own = os.getpriority(os.PRIO_PROCESS, 0)
    try:
        os.setpriority(os.PRIO_PROCESS, 0, niceness)
        os.setpriority(os.PRIO_PROCESS, 0, own)
    except PermissionError:
        return False
    return True


def _set(niceness: int) -> None:
    """Of every thread: on Linux each has its own."""
    for thread in Path("/proc/self/task").iterdir():
        # It may have ended by now.
        with suppress(ProcessLookupError):
            os.setpriority(os.PRIO_PROCESS, int(thread.name), niceness)
