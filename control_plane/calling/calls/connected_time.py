"""How much of the connected time that a worker reports is believed. Pure.

Only the worker counts connected time. So a faulty worker, or a forged report, must not be able to
bill any amount that it likes: nothing is billed beyond the plan's maximum duration, nor beyond the
time that has passed by the control plane's own clock.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from control_plane.calling.calls.models import Call

CLOCK_TOLERANCE = timedelta(seconds=10)
"""How far the clocks of two of the control plane's machines may be apart."""


def believed_ms(
    call: Call, reported_ms: int, now: datetime, max_duration_seconds: int | None = None
) -> int:
    """``reported_ms`` of connected time, or the most that the call can have had until ``now``.

    It counts from the call's creation, or from the answer to its phone. The start that the worker
    reports does not count, because the worker's clock may be wrong.

    Args:
        max_duration_seconds: of the plan; ``None`` if the plan is not at hand.
    """
    passed = now - (call.answered_at or call.created_at) + CLOCK_TOLERANCE
    longest_ms = max(0, passed // timedelta(milliseconds=1))
    if max_duration_seconds is not None:
        longest_ms = min(longest_ms, max_duration_seconds * 1000)
    return min(reported_ms, longest_ms)
