"""Limits of processor time, for whatever machine runs the tests now."""

from __future__ import annotations

from bench.machine_speed import fixed_loop_ms

USUAL_LOOP_MS = 50.0
"""What a limit in a test is meant for: a machine whose fixed loop takes this long."""


def slowness() -> float:
    """How many times as long as on a usual machine Python's own work takes now; at least 1."""
    return max(1.0, fixed_loop_ms() / USUAL_LOOP_MS)
