"""A clock for how long an input keeps its thread, on a machine that does other work as well."""

from __future__ import annotations

import os
import time
from functools import cache
from threading import get_native_id


def own_ms() -> float:
    """Goes on while the calling thread runs or waits for something, such as a lock, a reply or a
    sleep. Stands still while the thread could run but other work has the processors: that time
    says nothing about the input.
    """
    queued_ns = _queued_ns()
    while True:
        now_ns = time.perf_counter_ns()
        # The thread may lose the processor between two readings, which then do not belong together.
        if (queued_after_ns := _queued_ns()) == queued_ns:
            return (now_ns - queued_ns) / 1e6
        queued_ns = queued_after_ns


def _queued_ns() -> int:
    """How long the thread has waited for a processor since it began."""
    return int(os.pread(_schedstat(get_native_id()), 64, 0).split()[1])


@cache
def _schedstat(thread_id: int) -> int:
    """Stays open: to open it for each input takes longer than to read most inputs."""
    return os.open(f"/proc/self/task/{thread_id}/schedstat", os.O_RDONLY)
