"""What to bill when the worker cannot say how long audio was connected. Pure."""

from __future__ import annotations


def billed_position_ms(
    has_started: bool, metered_ms: int | None, media_ms: int | None
) -> int | None:
    """The connected time to bill when the worker cannot say it: the furthest position known.

    ``None`` when no media ever connected.
    """
    known = [position for position in (metered_ms, media_ms) if position is not None]
    if known:
        return max(known)
    return 0 if has_started else None
