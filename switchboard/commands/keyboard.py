"""Waiting for what a person types, inside an event loop."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def ctrl_c_interrupts() -> Iterator[None]:
    """For a block that blocks until something is typed: Ctrl-C raises ``KeyboardInterrupt`` there.

    asyncio's own handler cancels the task, which would hear of it only after the next line.
    """
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
