"""How much memory each process of an installation has for itself, and how that grows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import psutil

_MB = 1024**2
_FLAT_MB = 4.0
_FLAT_SHARE = 0.03
"""A process is flat if it grows by less than one of the two in the second half of a run. Before,
caches fill, and the allocator finds out how much it keeps for the next call."""


def private_mb(pids: Mapping[str, int]) -> dict[str, float]:
    """By process, what it shares with no other (the USS: RSS without shared pages); PostgreSQL with
    its children."""
    memory: dict[str, float] = {}
    for name, pid in pids.items():
        process = psutil.Process(pid)
        children = process.children(recursive=True) if name == "postgres" else []
        memory[name] = sum(map(_unshared_bytes, (process, *children))) / _MB
    return memory


def _unshared_bytes(process: psutil.Process) -> int:
    try:
        unshared: int = process.memory_full_info().uss
    except psutil.NoSuchProcess:
        # PostgreSQL's helpers come and go.
        return 0
    return unshared


@dataclass(frozen=True)
class Growth:
    """Of one process. The first measurement is of a process that has not worked yet."""

    at: Sequence[float]
    mb: Sequence[float]
    """One value for each of ``at``, whatever its unit; at least three."""

    @property
    def grown_mb(self) -> float:
        """Since the second measurement."""
        return self.mb[-1] - self.mb[1]

    @property
    def slope(self) -> float:
        """In MB per unit of ``at``, of the line that fits the second half best."""
        middle = len(self.at) // 2
        slope, _ = np.polyfit(self.at[middle:], self.mb[middle:], 1)
        return float(slope)

    @property
    def is_flat(self) -> bool:
        in_second_half_mb = self.slope * (self.at[-1] - self.at[len(self.at) // 2])
        return in_second_half_mb <= max(_FLAT_MB, _FLAT_SHARE * self.mb[1])
