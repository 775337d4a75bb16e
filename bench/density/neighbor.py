"""Another program on the same machine that computes, at normal priority."""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Iterator
from contextlib import contextmanager

_PERIOD_SECONDS = 0.1


@contextmanager
def neighbor(share: float) -> Iterator[None]:
    """Takes ``share`` of a core, wherever the kernel puts it; 0: there is none."""
    if not share:
        yield
        return
    process = multiprocessing.get_context("spawn").Process(target=_compute, args=(share,))
    process.start()
    try:
        yield
    finally:
        process.kill()
        process.join()


def _compute(share: float) -> None:
    """In each period until its share of it is used."""
    period_ends_at = time.monotonic() + _PERIOD_SECONDS
    while True:
        until = time.process_time() + share * _PERIOD_SECONDS
        while time.process_time() < until:
            pass
        time.sleep(max(0.0, period_ends_at - time.monotonic()))
        period_ends_at = max(period_ends_at + _PERIOD_SECONDS, time.monotonic())
