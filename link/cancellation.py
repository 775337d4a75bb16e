"""A cancelled task ends, even if the library that it waits in forgets the cancellation."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def remembered_cancellation() -> Iterator[None]:
    """Raise ``CancelledError`` at the end of the block if the task was cancelled inside it.

    The Redis client sends commands with ``asyncio.wait_for``. Before Python 3.12, ``wait_for``
    drops a cancellation that arrives just as it finishes (python/cpython#86296): the command then
    succeeds, or fails with another error, and a loop around it would run for ever.

    A task that was already cancelled before the block, and now cleans up, is not disturbed.
    """
    task = asyncio.current_task()
    assert task is not None, "Redis commands run in tasks"
    cancellations = task.cancelling()
    try:
        yield
    except asyncio.CancelledError:
        raise
    except Exception as error:
        if task.cancelling() > cancellations:
            raise asyncio.CancelledError from error
        raise
    if task.cancelling() > cancellations:
        raise asyncio.CancelledError
