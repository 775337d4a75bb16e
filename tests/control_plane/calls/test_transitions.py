from __future__ import annotations

import pytest

from contracts.call_status import TERMINAL_STATUSES, CallStatus
from contracts.end_reasons import STATUS_AFTER, EndReason
from control_plane.calls.transitions import Claimed, Effect, Ended, Started, Transition, transition

ACTIVE = sorted(set(CallStatus) - TERMINAL_STATUSES)
OVER = sorted(TERMINAL_STATUSES)


@pytest.mark.parametrize("status", ACTIVE)
def test_a_claim_changes_no_active_status(status: CallStatus) -> None:
    assert transition(status, Claimed()) == Transition(status, (Effect.NOTE_CLAIM,))


@pytest.mark.parametrize("status", [CallStatus.CONNECTING, CallStatus.QUEUED, CallStatus.RINGING])
def test_connected_media_starts_the_meter(status: CallStatus) -> None:
    assert transition(status, Started()) == Transition(
        CallStatus.IN_PROGRESS, (Effect.START_METER,)
    )


def test_a_second_start_does_not_restart_the_meter() -> None:
    assert transition(CallStatus.IN_PROGRESS, Started()).effects == ()


@pytest.mark.parametrize("reason", EndReason)
@pytest.mark.parametrize("status", ACTIVE)
def test_every_active_call_settles_when_it_ends(status: CallStatus, reason: EndReason) -> None:
    moved = transition(status, Ended(reason))
    assert moved.status is STATUS_AFTER[reason]
    assert moved.status in TERMINAL_STATUSES
    assert moved.effects.count(Effect.SETTLE) == 1
    assert Effect.COMPLETE_PARTICIPANTS in moved.effects
    assert Effect.ENQUEUE_POST_CALL in moved.effects


@pytest.mark.parametrize("reason", EndReason)
@pytest.mark.parametrize("status", OVER)
def test_a_call_that_is_over_never_ends_again(status: CallStatus, reason: EndReason) -> None:
    assert transition(status, Ended(reason)) == Transition(status)


@pytest.mark.parametrize("cause", [Claimed(), Started()])
@pytest.mark.parametrize("status", OVER)
def test_a_worker_that_runs_a_call_that_is_over_is_stopped(
    status: CallStatus, cause: Claimed | Started
) -> None:
    assert transition(status, cause) == Transition(status, (Effect.STOP_WORKER,))
