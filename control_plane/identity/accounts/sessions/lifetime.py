"""How long a dashboard session lasts. Pure."""

from __future__ import annotations

from datetime import datetime, timedelta

LONGEST_LIFE = timedelta(days=90)
"""A session ends after this time even if it is in use."""
_LONGEST_UNNOTED_USE = timedelta(minutes=1)


def expires_at(created_at: datetime, used_at: datetime, ttl_seconds: int) -> datetime:
    """When a session ends if it is not used after ``used_at``."""
    end = created_at + LONGEST_LIFE
    # Compare before adding: with a very long ttl the sum would exceed the largest datetime.
    if ttl_seconds >= (end - used_at).total_seconds():
        return end
    return used_at + timedelta(seconds=ttl_seconds)


def must_note_use(last_used_at: datetime, now: datetime, ttl_seconds: int) -> bool:
    """Whether to record this use. Not every use is recorded, so that requests do not queue for the
    row."""
    return now - last_used_at >= min(_LONGEST_UNNOTED_USE, timedelta(seconds=ttl_seconds) / 10)
