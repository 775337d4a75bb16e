"""What has to be done about an attempt to reach a phone. Pure: observations in, one act out."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum, auto

from contracts.dialing import STAGE_RANK, LegStage

RING_GRACE = timedelta(seconds=15)
"""How far a bridge may exceed the time to ring, which it has to enforce itself."""

ON_ITS_WAY = timedelta(seconds=3)
"""Time for a report, and those made before it, to come through the stream."""

RESEND_AFTER = timedelta(seconds=2)
"""Time for the scheduler that started an attempt to offer it to the bridges."""


class Act(Enum):
    NOTHING = auto()
    APPLY_REPORT = auto()
    """The bridge has come further than is known here: its report was lost."""
    SEND_REQUEST = auto()
    WITHDRAW = auto()
    """No bridge took it in time, or it is not wanted any more."""
    HANG_UP = auto()
    GIVE_UP = auto()
    """Its bridge has died or does not react: no more reports will come."""


@dataclass(frozen=True)
class ObservedAttempt:
    """What PostgreSQL and Redis say about an attempt. Times are aware."""

    stage: LegStage
    """As applied."""
    stage_at: datetime
    dial_before: datetime
    was_requested: bool
    call_is_over: bool
    leg_is_over: bool
    """The call waits for this phone no longer, or it has left."""
    reported: LegStage | None
    """The stage in its bridge's newest report; ``None`` if no bridge keeps one."""
    reported_at: datetime | None
    bridge_is_lost: bool
    """No bridge has kept a report for so long that none will."""


def judge_attempt(seen: ObservedAttempt, now: datetime, ring_timeout: timedelta) -> Act:
    if seen.reported is not None and STAGE_RANK[seen.reported] > STAGE_RANK[seen.stage]:
        is_late = seen.reported_at is not None and now - seen.reported_at > ON_ITS_WAY
        return Act.APPLY_REPORT if is_late else Act.NOTHING
    if seen.stage is LegStage.REQUESTED:
        if seen.call_is_over or seen.leg_is_over or now > seen.dial_before:
            return Act.WITHDRAW
        is_late = now - seen.stage_at > RESEND_AFTER
        return Act.SEND_REQUEST if is_late and not seen.was_requested else Act.NOTHING
    if seen.bridge_is_lost:
        return Act.GIVE_UP
    if seen.stage is not LegStage.ANSWERED:
        overdue = now - seen.stage_at - ring_timeout
        if overdue > 2 * RING_GRACE:
            return Act.GIVE_UP
        # One that has answered and left may come back.
        if seen.leg_is_over or overdue > RING_GRACE:
            return Act.HANG_UP
    return Act.HANG_UP if seen.call_is_over else Act.NOTHING
