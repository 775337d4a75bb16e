"""Measures the event loop's lag and the models' queue, and closes the slots of a full worker."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

import structlog

from runtime.headroom.headroom import KINDS_OF_FULLNESS, Fullness, Headroom
from runtime.slots import Slots

logger = structlog.get_logger(__name__)

LOOK_SECONDS = 0.05
"""A hundred looks in five seconds: so many make a 99th percentile."""
IDLE_LOOK_SECONDS = 0.25
"""While no call has a slot, when nobody is late for anybody."""


class HeadroomWatch:
    """
    Args:
        model_queue_seconds: how long the oldest work has been with the local models.
    """

    def __init__(
        self, headroom: Headroom, slots: Slots, model_queue_seconds: Callable[[], float]
    ) -> None:
        self._headroom = headroom
        self._slots = slots
        self._model_queue_seconds = model_queue_seconds
        self._full: Fullness | None = None

    async def run(self) -> None:
        """Look again and again until cancelled, but not while there is nothing to see."""
        while True:
            if self._sees_nothing():
                self._headroom.rest()
                await self._slots.wait_busy()
                self._headroom.rest()
            pause_seconds = LOOK_SECONDS if self._slots.used else IDLE_LOOK_SECONDS
            due_at = time.monotonic() + pause_seconds
            await asyncio.sleep(pause_seconds)
            self.look(max(0.0, time.monotonic() - due_at))

    def _sees_nothing(self) -> bool:
        """The worker has no call, the last ones have left no work, and nothing keeps it closed."""
        return self._full is None and self._slots.are_empty and not self._model_queue_seconds()

    def look(self, loop_lag_seconds: float) -> None:
        """Judge, given how late this look is."""
        self._headroom.loop_was_late(loop_lag_seconds, has_calls=self._slots.used > 0)
        self._headroom.model_work_has_waited(self._model_queue_seconds())
        full = self._headroom.judge()
        if full == self._full:
            return
        self._full = full
        for kind in KINDS_OF_FULLNESS:
            if kind == full:
                self._slots.close(kind)
            else:
                self._slots.open(kind)
        if full is None:
            logger.info("headroom.there_again", slots_used=self._slots.used)
        else:
            logger.warning("headroom.gone", reason=full, slots_used=self._slots.used)
