"""What one fuzzing run found."""

from __future__ import annotations

import asyncio
import gc
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

MOST_FAULTS_SHOWN = 20
MOST_GROWTH_MIB = 64
"""Over a whole run, from a tenth of it on."""
_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


@dataclass
class Outcome:
    """
    Attributes:
        taken: inputs that were read as valid.
        longest_ms: the longest time that one input kept the event loop, by ``own_ms``.
    """

    what: str
    inputs: int = 0
    taken: int = 0
    longest_ms: float = 0.0
    faults: list[str] = field(default_factory=list)
    _early_mib: float | None = None

    def note_memory(self, share_done: float) -> None:
        """Call it now and then. What is filled once, such as caches, is full after a tenth."""
        if share_done >= 0.1 and self._early_mib is None:
            self._early_mib = _resident_mib()

    @property
    def grown_mib(self) -> float:
        return _resident_mib() - self._early_mib if self._early_mib is not None else 0.0

    def close(self) -> None:
        """Judge the memory after the last input."""
        if self.grown_mib > MOST_GROWTH_MIB:
            self.faults.append(f"memory grew by {self.grown_mib:.0f} MiB")

    def __str__(self) -> str:
        told = (
            f"{self.what}: {self.inputs:,} inputs, {self.taken:,} of them valid, longest"
            f" {self.longest_ms:.0f} ms, memory {self.grown_mib:+.0f} MiB,"
            f" {len(self.faults)} faults"
        )
        return "\n".join([told, *(f"  {each}" for each in self.faults[:MOST_FAULTS_SHOWN])])


@asynccontextmanager
async def no_error_unhandled(outcome: Outcome) -> AsyncIterator[None]:
    """Note each error that nobody awaited, and each task that is left."""
    loop = asyncio.get_running_loop()

    def unhandled(_loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        outcome.faults.append(f"{context['message']}: {context.get('exception')!r}")

    before, others = loop.get_exception_handler(), asyncio.all_tasks()
    loop.set_exception_handler(unhandled)
    try:
        yield
        await asyncio.sleep(0.1)
        gc.collect()
        left = asyncio.all_tasks() - others
        outcome.faults += [f"task is left: {task}" for task in left]
    finally:
        loop.set_exception_handler(before)


def _resident_mib() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * _PAGE_BYTES / 2**20
