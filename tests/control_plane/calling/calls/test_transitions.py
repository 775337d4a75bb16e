from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.call_status import TERMINAL_STATUSES, CallStatus
from contracts.dial_outcome import STATUS_AFTER_DIAL, DialOutcome
from contracts.end_reasons import STATUS_AFTER, EndReason
from control_plane.calling.calls.transitions import (
    REPORTED_AS_FAILED,
    Answered,
    Cause,
    Claimed,
    Dialing,
    Effect,
    Ended,
    Requeued,
    Ringing,
    Started,
    Transition,
    Unreached,
    transition,
)

ACTIVE = sorted(set(CallStatus) - TERMINAL_STATUSES)
OVER = sorted(TERMINAL_STATUSES)
FIRST = (CallStatus.CONNECTING, CallStatus.QUEUED)
"""How calls begin: with a browser or with a phone."""

ENDS: list[Ended | Unreached] = [
    *(Ended(reason) for reason in EndReason),
    *(Unreached("carrier", outcome) for outcome in DialOutcome),
]
CAUSES: list[Cause] = [
    Dialing(),
    Ringing(),
    Answered(),
    Requeued(),
    Claimed(),
    Started(),
    *ENDS,
]
any_history = st.lists(st.sampled_from(CAUSES), max_size=40)
"""Facts late, doubled, missing and in any order."""


@pytest.mark.parametrize("status", ACTIVE)
def test_a_claim_changes_no_active_status(status: CallStatus) -> None:
    assert transition(status, Claimed()) == Transition(status, (Effect.NOTE_CLAIM,))


@pytest.mark.parametrize("status", [CallStatus.CONNECTING, CallStatus.QUEUED, CallStatus.RINGING])
def test_connected_media_starts_the_meter_and_is_told(status: CallStatus) -> None:
    assert transition(status, Started()) == Transition(
        CallStatus.IN_PROGRESS, (Effect.START_METER, Effect.SEND_CALL_STARTED)
    )


def test_a_second_start_does_not_restart_the_meter() -> None:
    assert transition(CallStatus.IN_PROGRESS, Started()).effects == ()


@pytest.mark.parametrize("cause", ENDS)
@pytest.mark.parametrize("status", ACTIVE)
def test_every_active_call_settles_when_it_ends(
    status: CallStatus, cause: Ended | Unreached
) -> None:
    moved = transition(status, cause)
    assert moved.status is cause.status
    assert moved.status in TERMINAL_STATUSES
    assert moved.effects.count(Effect.SETTLE) == 1
    assert (Effect.SEND_CALL_FAILED in moved.effects) == (moved.status in REPORTED_AS_FAILED)


@pytest.mark.parametrize("cause", ENDS)
@pytest.mark.parametrize("status", OVER)
def test_a_call_that_is_over_never_ends_again(status: CallStatus, cause: Ended | Unreached) -> None:
    assert transition(status, cause) == Transition(status)


@pytest.mark.parametrize("cause", [Claimed(), Started()])
@pytest.mark.parametrize("status", OVER)
def test_a_worker_that_runs_a_call_that_is_over_is_stopped(
    status: CallStatus, cause: Claimed | Started
) -> None:
    assert transition(status, cause) == Transition(status, (Effect.STOP_WORKER,))


@pytest.mark.parametrize("cause", [Dialing(), Ringing(), Answered()])
@pytest.mark.parametrize("status", OVER)
def test_a_phone_that_rings_for_a_call_that_is_over_is_hung_up(
    status: CallStatus, cause: Dialing | Ringing | Answered
) -> None:
    assert transition(status, cause) == Transition(status, (Effect.HANG_UP_PHONE,))


def test_a_call_follows_its_phone() -> None:
    assert statuses(
        CallStatus.QUEUED, [Dialing(), Ringing(), Requeued(), Dialing(), Ringing(), Answered()]
    ) == ["queued", "ringing", "queued", "queued", "ringing", "ringing"]


@pytest.mark.parametrize("cause", [Dialing(), Ringing(), Answered(), Requeued()])
@pytest.mark.parametrize("status", [CallStatus.CONNECTING, CallStatus.IN_PROGRESS])
def test_a_phone_that_is_called_into_a_browsers_call_does_not_move_it(
    status: CallStatus, cause: Cause
) -> None:
    assert transition(status, cause) == Transition(status)


def test_the_outcome_of_dialing_names_the_carrier() -> None:
    cause = Unreached("twilio", DialOutcome.BUSY)
    assert (cause.end_reason, cause.status) == ("twilio_busy", CallStatus.BUSY)


def test_every_end_has_exactly_one_status() -> None:
    assert set(STATUS_AFTER) == set(EndReason)
    assert set(STATUS_AFTER_DIAL) == set(DialOutcome)
    assert {*STATUS_AFTER.values(), *STATUS_AFTER_DIAL.values()} == TERMINAL_STATUSES


@given(first=st.sampled_from(FIRST), history=any_history)
def test_no_order_of_facts_leaves_the_table(first: CallStatus, history: list[Cause]) -> None:
    status = first
    effects: list[Effect] = []
    for cause in history:
        before = status
        moved = transition(before, cause)
        assert moved.status in CallStatus
        if before in TERMINAL_STATUSES:
            assert moved.status is before
            assert not set(moved.effects) & {Effect.SETTLE, Effect.START_METER, Effect.NOTE_CLAIM}
        if before is CallStatus.IN_PROGRESS:
            assert moved.status in {CallStatus.IN_PROGRESS, *TERMINAL_STATUSES}
        status = moved.status
        effects += moved.effects
    is_over = status in TERMINAL_STATUSES
    assert effects.count(Effect.SETTLE) == is_over
    assert effects.count(Effect.SEND_CALL_FAILED) == (status in REPORTED_AS_FAILED)
    assert effects.count(Effect.START_METER) == effects.count(Effect.SEND_CALL_STARTED) <= 1


@given(history=any_history)
def test_a_call_is_in_progress_exactly_while_its_meter_runs(history: list[Cause]) -> None:
    status, runs = CallStatus.QUEUED, False
    for cause in history:
        moved = transition(status, cause)
        status = moved.status
        runs = (runs or Effect.START_METER in moved.effects) and Effect.SETTLE not in moved.effects
        assert runs == (status is CallStatus.IN_PROGRESS)


@given(history=any_history, times=st.integers(min_value=1, max_value=3))
def test_a_doubled_fact_moves_nothing_further(history: list[Cause], times: int) -> None:
    doubled = [cause for cause in history for _ in range(times)]
    assert [*statuses(CallStatus.QUEUED, doubled)][times - 1 :: times] == [
        *statuses(CallStatus.QUEUED, history)
    ]


def statuses(first: CallStatus, causes: Sequence[Cause]) -> list[str]:
    """The status after each of ``causes``."""
    status, seen = first, []
    for cause in causes:
        status = transition(status, cause).status
        seen.append(status.value)
    return seen
