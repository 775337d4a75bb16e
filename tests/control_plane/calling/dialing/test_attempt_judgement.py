"""No attempt is left without an end, and none is ended that a bridge still answers for."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest

from contracts.dialing import LegStage
from control_plane.calling.dialing.attempt_judgement import Act, ObservedAttempt, judge_attempt
from control_plane.calling.dialing.silence import Silence

START = datetime(2026, 6, 1, 12, tzinfo=UTC)
RINGS = timedelta(seconds=30)
REQUESTED = ObservedAttempt(
    stage=LegStage.REQUESTED,
    stage_at=START,
    dial_before=START + timedelta(seconds=20),
    was_requested=True,
    call_is_over=False,
    leg_is_over=False,
    reported=None,
    reported_at=None,
    bridge_is_lost=False,
)
RINGING = replace(REQUESTED, stage=LegStage.RINGING, reported=LegStage.RINGING, reported_at=START)
ANSWERED = replace(
    REQUESTED, stage=LegStage.ANSWERED, reported=LegStage.ANSWERED, reported_at=START
)
LOST = {"reported": None, "reported_at": None, "bridge_is_lost": True}


@pytest.mark.parametrize(
    ("seen", "after_seconds", "act"),
    [
        pytest.param(REQUESTED, 1, Act.NOTHING, id="offered"),
        pytest.param(REQUESTED, 21, Act.WITHDRAW, id="no bridge took it"),
        pytest.param(replace(REQUESTED, call_is_over=True), 1, Act.WITHDRAW, id="not wanted"),
        pytest.param(replace(REQUESTED, leg_is_over=True), 1, Act.WITHDRAW, id="given up"),
        pytest.param(replace(REQUESTED, was_requested=False), 1, Act.NOTHING, id="being offered"),
        pytest.param(replace(REQUESTED, was_requested=False), 3, Act.SEND_REQUEST, id="not sent"),
        pytest.param(
            replace(REQUESTED, reported=LegStage.RINGING, reported_at=START),
            1,
            Act.NOTHING,
            id="a report on its way",
        ),
        pytest.param(
            replace(REQUESTED, reported=LegStage.RINGING, reported_at=START),
            25,
            Act.APPLY_REPORT,
            id="a report that was lost",
        ),
        pytest.param(RINGING, 29, Act.NOTHING, id="rings"),
        pytest.param(replace(RINGING, call_is_over=True), 1, Act.HANG_UP, id="rings for nobody"),
        pytest.param(replace(RINGING, leg_is_over=True), 1, Act.HANG_UP, id="rings in vain"),
        pytest.param(replace(RINGING, **LOST), 10, Act.GIVE_UP, id="bridge died"),  # type: ignore[arg-type]
        pytest.param(RINGING, 46, Act.HANG_UP, id="rings too long"),
        pytest.param(RINGING, 61, Act.GIVE_UP, id="deaf bridge"),
        pytest.param(ANSWERED, 7200, Act.NOTHING, id="in conversation"),
        pytest.param(replace(ANSWERED, leg_is_over=True), 60, Act.NOTHING, id="may come back"),
        pytest.param(replace(ANSWERED, call_is_over=True), 60, Act.HANG_UP, id="call over"),
        pytest.param(replace(ANSWERED, **LOST), 60, Act.GIVE_UP, id="bridge died in conversation"),  # type: ignore[arg-type]
    ],
)
def test_judgement(seen: ObservedAttempt, after_seconds: int, act: Act) -> None:
    assert judge_attempt(seen, START + timedelta(seconds=after_seconds), RINGS) is act


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_bridge_is_lost_after_it_has_been_silent_for_long() -> None:
    clock, attempt = Clock(), uuid4()
    silence = Silence(6.0, clock)
    assert silence.heard([attempt], []) == frozenset()
    clock.now = 5.9
    assert silence.heard([attempt], []) == frozenset()
    clock.now = 6.0
    assert silence.heard([attempt], []) == {attempt}


def test_one_sign_of_life_is_enough() -> None:
    clock, attempt = Clock(), uuid4()
    silence = Silence(6.0, clock)
    silence.heard([attempt], [])
    clock.now = 5.0
    silence.heard([attempt], [attempt])
    clock.now = 10.0
    assert silence.heard([attempt], []) == frozenset()


def test_while_redis_is_away_nobody_is_silent() -> None:
    clock, attempt = Clock(), uuid4()
    silence = Silence(6.0, clock)
    silence.heard([attempt], [])
    silence.forget()
    clock.now = 7.0
    assert silence.heard([attempt], []) == frozenset()
