"""Many calls in this process, of whatever engine, and what they cost.

Imports nothing of Switchboard: the process of ``bench.pipecat_calls`` has none.
"""

from __future__ import annotations

import asyncio
import gc
import os
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from bench.memory_caller import Noticed, Samples

OPENER = "Bright Dental, this is Mia. How can I help you?"
"""What every agent says first."""

_TURN_SECONDS = 7.0
"""About how long a turn of both takes. The calls begin evenly within it."""
_SETTLE_SECONDS = 6.0
_FIRST_CALL_SECONDS = 9.0


@dataclass
class Order:
    calls: int
    seconds: float
    base_urls: dict[str, str]
    """Of the vendors."""
    lines: Sequence[Samples]
    prompt: str = ""
    """For engines that have no agent of ours."""


@dataclass
class Measured:
    took_seconds: float = 0.0
    used_seconds: float = 0.0
    """Of the whole process, the callers included."""
    loop_seconds: float = 0.0
    """Of the event loop's thread."""
    memory_mb: float = 0.0
    """By which the process has grown since its first call."""
    callers_seconds: float = 0.0
    spoken_share: float = 0.0
    lateness_ms: list[float] = field(default_factory=list)
    voice_to_voice_ms: list[float] = field(default_factory=list)
    end_of_turn_ms: list[float] = field(default_factory=list)
    """From the caller's last sound to the engine's decision that the turn is over."""
    unanswered: int = 0
    failures: list[str] = field(default_factory=list)


async def measure_calls(
    order: Order,
    call: Callable[[int], AbstractAsyncContextManager[None]],
    noticed: Noticed,
    measured: Measured,
) -> None:
    """Open ``order.calls`` calls, one after another, and fill in ``measured`` while all are open.

    Await it when everything that calls share is loaded: ``call`` opens the call of a number, with
    its caller, who tells ``noticed``. One more call comes first, because engines load some parts
    with their first turn.
    """
    async with call(order.calls):
        await asyncio.sleep(_FIRST_CALL_SECONDS)
    gc.collect()
    gc.freeze()
    resident = _resident_bytes()
    over = asyncio.Event()
    # Some engines take seconds to close a call, so that all close at once.
    async with asyncio.TaskGroup() as calls:
        for number in range(order.calls):
            opened = asyncio.Event()
            calls.create_task(_hold(call(number), opened, over))
            await opened.wait()
            await asyncio.sleep(_TURN_SECONDS / order.calls)
        await asyncio.sleep(_SETTLE_SECONDS)
        noticed.is_measured = True
        used, on_loop, began_at = time.process_time(), time.thread_time(), time.monotonic()
        await asyncio.sleep(order.seconds)
        noticed.is_measured = False
        measured.used_seconds = time.process_time() - used
        measured.loop_seconds = time.thread_time() - on_loop
        measured.took_seconds = time.monotonic() - began_at
        measured.memory_mb = (_resident_bytes() - resident) / 2**20
        over.set()
    measured.callers_seconds = noticed.used_seconds
    measured.spoken_share = noticed.spoken_frames / max(1, noticed.frames)
    measured.lateness_ms = lateness_ms(noticed.sent_at)
    measured.voice_to_voice_ms = noticed.voice_to_voice_ms
    measured.unanswered = noticed.unanswered


async def _hold(
    call: AbstractAsyncContextManager[None], opened: asyncio.Event, over: asyncio.Event
) -> None:
    async with call:
        opened.set()
        await over.wait()


def lateness_ms(sent_at: list[tuple[int, float]]) -> list[float]:
    """Of each frame, against the earliest one of its call."""
    calls = np.array([call for call, _ in sent_at])
    times = np.array([at for _, at in sent_at])
    late: list[float] = []
    for call in np.unique(calls):
        own = times[calls == call]
        late += ((own - own.min()) * 1000).tolist()
    return late


def _resident_bytes() -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")
