"""How fast this machine is now, to compare figures of different machines and hours."""

from __future__ import annotations

import time


def fixed_loop_ms() -> float:
    """Of Python's own work, alone; the best of five."""
    times = []
    for _ in range(5):
        began_at = time.perf_counter()
        sum(number * number for number in range(1_000_000))
        times.append((time.perf_counter() - began_at) * 1000)
    return min(times)
