"""Measures how late the event loop is."""

from __future__ import annotations

import asyncio
import time

from telemetry.metrics import LOOP_LAG

INTERVAL_SECONDS = 0.25


async def measure_loop_lag() -> None:
    """Measure until cancelled."""
    while True:
        due_at = time.monotonic() + INTERVAL_SECONDS
        await asyncio.sleep(INTERVAL_SECONDS)
        LOOP_LAG.observe(max(0.0, time.monotonic() - due_at))
