"""Which calls nobody else will end, and why. Pure: observations in, end reasons out."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from contracts.end_reasons import EndReason

OVERDUE_GRACE = timedelta(seconds=60)
"""How far a worker may exceed a limit that it has to enforce itself."""

POST_DIAL_TIMEOUT = timedelta(minutes=10)
"""Longer than any phone rings. The dialing queue watches its attempts far more closely; this
catches what it has lost."""

LONGEST_QUEUED = timedelta(days=8)
"""Longer than the dialing queue keeps a job that is due."""

END_REQUEST_GRACE = timedelta(seconds=20)
"""Time for a worker to say goodbye and report the end that was requested."""


@dataclass(frozen=True)
class ObservedCall:
    """What PostgreSQL and Redis say about one call that is not over. Times are aware."""

    created_at: datetime
    waits_for_phone: bool
    """Its phone is queued or rings; it was not answered yet."""
    due_at: datetime | None
    dialed_at: datetime | None
    answered_at: datetime | None
    offered_at: datetime | None
    """When workers were last offered the call."""
    claimed_at: datetime | None
    started_at: datetime | None
    max_duration: timedelta
    join_timeout: timedelta
    end_requested_at: datetime | None
    end_requested_reason: EndReason | None
    has_lease: bool
    has_media_position: bool
    """A worker has reported on it, even if its events are not applied yet."""
    end_is_on_its_way: bool
    """Its ``call.ended`` is in the event stream, not applied yet but about to be."""


def judge(call: ObservedCall, now: datetime, queued_timeout: timedelta) -> EndReason | None:
    """Why ``call`` has to be ended now; ``None`` to leave it alone."""
    if call.end_is_on_its_way:
        return None
    was_claimed = call.claimed_at is not None or call.has_media_position
    if not call.has_lease:
        if was_claimed:
            return EndReason.WORKER_ERROR
        return _judge_unclaimed(call, now, queued_timeout)
    if call.end_requested_at is not None and now - call.end_requested_at > END_REQUEST_GRACE:
        return _requested_reason(call)
    if call.started_at is not None:
        overdue = now - call.started_at > call.max_duration + OVERDUE_GRACE
        return EndReason.REAPER_IN_PROGRESS_TIMEOUT if overdue else None
    if call.claimed_at is not None and now - call.claimed_at > call.join_timeout + OVERDUE_GRACE:
        return EndReason.ROOM_CONNECTION_FAILED
    return None


def _judge_unclaimed(
    call: ObservedCall, now: datetime, queued_timeout: timedelta
) -> EndReason | None:
    """A call that no worker has: it waits for one, for its phone to answer, or to be dialed."""
    if call.end_requested_at is not None:
        return _requested_reason(call)  # Nobody has to say goodbye first.
    if not call.waits_for_phone:
        waits_since = call.offered_at or call.answered_at or call.created_at
        is_lost = now - waits_since > queued_timeout
        return EndReason.REAPER_QUEUED_TIMEOUT if is_lost else None
    if call.dialed_at is not None:
        is_lost = now - call.dialed_at > POST_DIAL_TIMEOUT
        return EndReason.REAPER_POST_DIAL_TIMEOUT if is_lost else None
    is_lost = now - max(call.created_at, call.due_at or call.created_at) > LONGEST_QUEUED
    return EndReason.REAPER_QUEUED_TIMEOUT if is_lost else None


def _requested_reason(call: ObservedCall) -> EndReason:
    return call.end_requested_reason or EndReason.NORMAL_HANGUP
