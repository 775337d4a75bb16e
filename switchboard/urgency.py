"""How a media worker gets a processor before other programs that compute."""

from __future__ import annotations

import os
from pathlib import Path

import structlog

STARTING_NICENESS = 10

log = structlog.get_logger(__name__)


class Urgency:
    """``niceness`` (nice(2)) for a process that is warm. While it starts, it gives way to the calls
    of others.

    Below 0 the system must allow it: root, or a limit such as systemd's ``LimitNICE``. Otherwise
    the process keeps what it has from its beginning, because it could not come back to that.
    """

    def __init__(self, niceness: int) -> None:
        self._niceness = niceness
        self._is_allowed = _is_allowed(niceness)
        if not self._is_allowed:
            log.info("worker.niceness_not_allowed", wanted=niceness)

    def starts(self) -> None:
        if self._is_allowed:
            _set(max(self._niceness, STARTING_NICENESS))

    def is_warm(self) -> None:
        if self._is_allowed:
            _set(self._niceness)


def _is_allowed(niceness: int) -> bool:
    own = os.getpriority(os.PRIO_PROCESS, 0)
    try:
        os.setpriority(os.PRIO_PROCESS, 0, min(own, niceness))
        os.setpriority(os.PRIO_PROCESS, 0, own)
    except PermissionError:
        return False
    return True


def _set(niceness: int) -> None:
    """Of every thread: on Linux each has its own."""
    for thread in Path("/proc/self/task").iterdir():
        os.setpriority(os.PRIO_PROCESS, int(thread.name), niceness)
