from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from contracts.end_reasons import EndReason
from control_plane.calling.reaper.judgement import (
    END_REQUEST_GRACE,
    LONGEST_QUEUED,
    OVERDUE_GRACE,
    POST_DIAL_TIMEOUT,
    ObservedCall,
    judge,
)

CREATED = datetime(2026, 1, 1, tzinfo=UTC)
QUEUED_TIMEOUT = timedelta(seconds=30)
SECOND = timedelta(seconds=1)

WAITING = ObservedCall(
    created_at=CREATED,
    waits_for_phone=False,
    due_at=None,
    dialed_at=None,
    answered_at=None,
    offered_at=None,
    claimed_at=None,
    started_at=None,
    max_duration=timedelta(seconds=600),
    join_timeout=timedelta(seconds=60),
    end_requested_at=None,
    end_requested_reason=None,
    has_lease=False,
    has_media_position=False,
    end_is_on_its_way=False,
)
CLAIMED = replace(WAITING, claimed_at=CREATED, has_lease=True, has_media_position=True)
PHONE_QUEUED = replace(WAITING, waits_for_phone=True)
TALKING = replace(CLAIMED, started_at=CREATED)


def judged_after(call: ObservedCall, age: timedelta) -> EndReason | None:
    return judge(call, CREATED + age, QUEUED_TIMEOUT)


def test_a_call_that_nobody_claims_times_out() -> None:
    assert judged_after(WAITING, QUEUED_TIMEOUT) is None
    assert judged_after(WAITING, QUEUED_TIMEOUT + SECOND) is EndReason.REAPER_QUEUED_TIMEOUT


def test_a_call_whose_room_is_being_opened_is_left_alone() -> None:
    opening = replace(WAITING, has_lease=True)
    assert judged_after(opening, QUEUED_TIMEOUT + SECOND) is None


@pytest.mark.parametrize("call", [CLAIMED, TALKING])
def test_a_call_that_lost_its_lease_lost_its_worker(call: ObservedCall) -> None:
    assert judged_after(call, SECOND) is None
    assert judged_after(replace(call, has_lease=False), SECOND) is EndReason.WORKER_ERROR


def test_a_worker_that_died_before_its_first_event_was_applied_is_noticed() -> None:
    unheard = replace(WAITING, has_media_position=True)
    assert judged_after(unheard, SECOND) is EndReason.WORKER_ERROR


def test_a_call_whose_end_is_in_the_stream_is_not_lost() -> None:
    ended = replace(TALKING, has_lease=False, end_is_on_its_way=True)
    assert judged_after(ended, timedelta(hours=10)) is None


def test_a_call_may_exceed_its_maximum_duration_by_a_minute_only() -> None:
    limit = TALKING.max_duration + OVERDUE_GRACE
    assert judged_after(TALKING, limit) is None
    assert judged_after(TALKING, limit + SECOND) is EndReason.REAPER_IN_PROGRESS_TIMEOUT


def test_a_room_that_stays_empty_is_closed() -> None:
    limit = CLAIMED.join_timeout + OVERDUE_GRACE
    assert judged_after(CLAIMED, limit) is None
    assert judged_after(CLAIMED, limit + SECOND) is EndReason.ROOM_CONNECTION_FAILED


def test_an_end_that_a_worker_ignores_is_carried_out() -> None:
    asked = replace(
        TALKING,
        end_requested_at=CREATED,
        end_requested_reason=EndReason.INSUFFICIENT_FUNDS,
    )
    assert judged_after(asked, END_REQUEST_GRACE) is None
    assert judged_after(asked, END_REQUEST_GRACE + SECOND) is EndReason.INSUFFICIENT_FUNDS


@pytest.mark.parametrize("call", [WAITING, PHONE_QUEUED, replace(PHONE_QUEUED, dialed_at=CREATED)])
def test_a_call_that_no_worker_has_ends_as_soon_as_its_end_is_requested(
    call: ObservedCall,
) -> None:
    asked = replace(call, end_requested_at=CREATED, end_requested_reason=EndReason.NORMAL_HANGUP)
    assert judged_after(call, SECOND) is None
    assert judged_after(asked, SECOND) is EndReason.NORMAL_HANGUP


def test_a_phone_may_wait_in_the_queue_for_as_long_as_the_queue_keeps_it() -> None:
    assert judged_after(PHONE_QUEUED, LONGEST_QUEUED) is None
    lost = judged_after(PHONE_QUEUED, LONGEST_QUEUED + SECOND)
    assert lost is EndReason.REAPER_QUEUED_TIMEOUT
    scheduled = replace(PHONE_QUEUED, due_at=CREATED + timedelta(days=2))
    assert judged_after(scheduled, LONGEST_QUEUED + timedelta(days=2)) is None


def test_a_phone_that_was_dialed_and_is_not_heard_of_times_out() -> None:
    dialed = replace(PHONE_QUEUED, dialed_at=CREATED)
    assert judged_after(dialed, POST_DIAL_TIMEOUT) is None
    assert judged_after(dialed, POST_DIAL_TIMEOUT + SECOND) is EndReason.REAPER_POST_DIAL_TIMEOUT


def test_a_call_waits_for_a_worker_until_its_offer_has_expired() -> None:
    """It is offered late when Redis was away, or when its phone was answered."""
    offered = replace(WAITING, offered_at=CREATED + timedelta(minutes=10))
    limit = timedelta(minutes=10) + QUEUED_TIMEOUT
    assert judged_after(offered, limit) is None
    assert judged_after(offered, limit + SECOND) is EndReason.REAPER_QUEUED_TIMEOUT


def test_an_answered_phone_waits_for_a_worker_no_longer_than_a_browser() -> None:
    answered = replace(
        WAITING, dialed_at=CREATED, answered_at=CREATED + timedelta(seconds=40), has_lease=False
    )
    limit = timedelta(seconds=40) + QUEUED_TIMEOUT
    assert judged_after(answered, limit) is None
    assert judged_after(answered, limit + SECOND) is EndReason.REAPER_QUEUED_TIMEOUT
