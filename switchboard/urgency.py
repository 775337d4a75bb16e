"""How a media worker gets a processor before other programs that compute."""

from __future__ import annotations

import os

import structlog

log = structlog.get_logger(__name__)


def become_urgent(niceness: int) -> int:
    """Give this process, and the threads that it starts from now on, ``niceness`` (nice(2)).

    Below 0 the system must allow it: root, or a limit such as systemd's ``LimitNICE``. Otherwise
    the process keeps what it has.

    Returns:
        The niceness that the process has now.
    """
    own = os.getpriority(os.PRIO_PROCESS, 0)
    if niceness == own:
        return own
    try:
        os.setpriority(os.PRIO_PROCESS, 0, niceness)
    except PermissionError:
        log.info("worker.niceness_not_allowed", wanted=niceness, kept=own)
        return own
    return niceness
