"""Whether a worker can take one more call without spoiling those that it has. Pure.

It is full at once when a delay is above its limit (``limits.py``). It has room again when all
delays have been shorter than two thirds of their limits for two to three seconds. What was measured
before that counts no longer.

A worker without a call is not judged by its frames and its loop. It has no caller to protect, and
what makes it slow is not its own: it would be closed for as long as that goes on, and an
installation on a busy machine would take no call at all. Neither is the first second of its next
calls measured: setting up a call is its most expensive second, and there is nobody yet who would
hear it. So eight callers who come to an idle worker at once are all taken. After that second, what
they measure decides about the next. The queue of the models is always judged: the models may also
serve other workers, whose calls end.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Literal, get_args

from runtime.headroom.limits import HeadroomLimits
from runtime.headroom.recent_delays import WINDOW_SECONDS, RecentDelays

Fullness = Literal["frames_late", "loop_blocked", "models_busy"]
KINDS_OF_FULLNESS: tuple[Fullness, ...] = get_args(Fullness)

CALM_SHARE = 2 / 3
"""Of a limit. A worker that opened at the limit would close with the next call."""
CALM_SECONDS = 2.0
UNMEASURED_SECONDS = 1.0
_TOLERATED = 0.01


class Headroom:
    """Is told each delay. ``clock`` gives seconds that only grow."""

    def __init__(self, limits: HeadroomLimits, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._frames = _delays(limits.frame_lateness_ms, _TOLERATED)
        self._loop = _delays(limits.loop_lag_ms, _TOLERATED)
        self._models = _delays(limits.model_queue_ms, tolerated=0.0)
        self._delays: dict[Fullness, RecentDelays] = {
            "frames_late": self._frames,
            "loop_blocked": self._loop,
            "models_busy": self._models,
        }
        self._full: Fullness | None = None
        self._open_since = self._measured_from = clock()

    def frame_was_late(self, seconds: float) -> None:
        """Called for every frame of every room."""
        now = self._clock()
        if now >= self._measured_from:
            self._frames.observe(seconds, now)

    def loop_was_late(self, seconds: float, has_calls: bool) -> None:
        """
        Args:
            has_calls: whether a call has a slot.
        """
        now = self._clock()
        if not has_calls:
            self.rest()
        elif now >= self._measured_from:
            self._loop.observe(seconds, now)

    def rest(self) -> None:
        """No call has a slot, now or until now."""
        self._measured_from = self._clock() + UNMEASURED_SECONDS
        self._frames.forget()
        self._loop.forget()

    def model_work_has_waited(self, seconds: float) -> None:
        self._models.observe(seconds, self._clock())

    @property
    def is_strained(self) -> bool:
        """Whether a delay was near its limit within the last five seconds."""
        since = self._clock() - WINDOW_SECONDS
        return any(each.are_above_calm(since) for each in self._delays.values())

    def judge(self) -> Fullness | None:
        """The first reason why the worker is full; ``None`` while it has room."""
        now = self._clock()
        if self._full is None:
            self._full = self._above_limit(max(now - WINDOW_SECONDS, self._open_since))
            return self._full
        since = now - CALM_SECONDS
        if any(each.are_above_calm(since) for each in self._delays.values()):
            self._full = self._above_limit(since) or self._full
        else:
            self._full, self._open_since = None, now
        return self._full

    def _above_limit(self, since_seconds: float) -> Fullness | None:
        for kind, delays in self._delays.items():
            if delays.are_above_limit(since_seconds):
                return kind
        return None


def _delays(limit_ms: float, tolerated: float) -> RecentDelays:
    return RecentDelays(limit_ms / 1000, CALM_SHARE * limit_ms / 1000, tolerated)
