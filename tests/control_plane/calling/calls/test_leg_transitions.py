from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from contracts.call_status import ParticipantStatus
from control_plane.calling.calls.legs.transitions import LegCause, leg_transition


def after(*causes: LegCause, first: ParticipantStatus = ParticipantStatus.QUEUED) -> str:
    status = first
    for cause in causes:
        status = leg_transition(status, cause)
    return status.value


def test_a_phone_is_dialed_rings_is_answered_and_joins() -> None:
    assert after(LegCause.DIALING) == "dialing"
    assert after(LegCause.DIALING, LegCause.RINGING) == "ringing"
    assert after(LegCause.DIALING, LegCause.RINGING, LegCause.ANSWERED) == "joining"
    assert after(LegCause.ANSWERED, LegCause.JOINED) == "connected"


def test_a_failed_attempt_goes_back_to_the_queue_or_is_given_up() -> None:
    assert after(LegCause.RINGING, LegCause.RETRY_SCHEDULED) == "queued"
    assert after(LegCause.RINGING, LegCause.GIVEN_UP) == "completed"


def test_a_phone_that_was_answered_does_not_ring_again() -> None:
    assert after(LegCause.ANSWERED, LegCause.RINGING, LegCause.DIALING) == "joining"
    assert after(LegCause.ANSWERED, LegCause.JOINED, LegCause.RETRY_SCHEDULED) == "connected"


def test_who_lost_the_connection_can_come_back() -> None:
    assert after(LegCause.JOINED, LegCause.LEFT, LegCause.JOINED) == "connected"


@given(history=st.lists(st.sampled_from(LegCause), max_size=30), cause=st.sampled_from(LegCause))
def test_no_order_of_facts_leaves_the_table_and_a_doubled_one_changes_nothing(
    history: list[LegCause], cause: LegCause
) -> None:
    once = after(*history, cause)
    assert ParticipantStatus(once)
    assert after(*history, cause, cause) == once


@given(history=st.lists(st.sampled_from(LegCause), max_size=30))
def test_nothing_that_a_carrier_says_takes_anybody_out_of_a_conversation(
    history: list[LegCause],
) -> None:
    carriers = [each for each in history if each not in (LegCause.JOINED, LegCause.LEFT)]
    assert after(*carriers, first=ParticipantStatus.CONNECTED) == "connected"
