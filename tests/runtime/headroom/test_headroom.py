"""When a worker is full, why, and when it has room again."""

from __future__ import annotations

from math import inf

import pytest

from runtime.headroom.headroom import CALM_SHARE, UNMEASURED_SECONDS, Fullness, Headroom
from runtime.headroom.limits import HeadroomLimits

FRAME_SECONDS = 0.02
LIMITS = HeadroomLimits()


class Machine:
    """A worker with one call on a machine that delays everything as the test says. All delays are
    in ms."""

    def __init__(self, limits: HeadroomLimits = LIMITS) -> None:
        self.now = 1_000.0
        self.headroom = Headroom(limits, lambda: self.now)
        self.has_calls = True

    def run(
        self, seconds: float, frame: float = 1.0, loop: float = 1.0, queue: float = 0.0
    ) -> list[Fullness | None]:
        """The verdicts of these seconds."""
        verdicts = []
        for _ in range(round(seconds / FRAME_SECONDS)):
            self.now += FRAME_SECONDS
            if self.has_calls:
                self.headroom.frame_was_late(frame / 1000)
            self.headroom.loop_was_late(loop / 1000, self.has_calls)
            self.headroom.model_work_has_waited(queue / 1000)
            verdicts.append(self.headroom.judge())
        return verdicts


def test_a_machine_that_keeps_up_has_room():
    machine = Machine()
    assert set(machine.run(20)) == {None}
    assert not machine.headroom.is_strained


@pytest.mark.parametrize(
    ("frame", "loop", "queue", "why"),
    [
        (LIMITS.frame_lateness_ms + 1, 1, 0, "frames_late"),
        (1, LIMITS.loop_lag_ms + 1, 0, "loop_blocked"),
        (1, 1, LIMITS.model_queue_ms + 1, "models_busy"),
        (99, 99, 999, "frames_late"),
    ],
)
def test_each_limit_closes_at_once_and_the_first_one_is_the_reason(
    frame: float, loop: float, queue: float, why: Fullness
):
    machine = Machine()
    machine.run(10)
    verdicts = machine.run(0.1, frame, loop, queue)
    assert verdicts[-1] == why


def test_at_the_limit_there_is_room_for_nobody_but_those_who_are_there():
    machine = Machine()
    at_limit = (LIMITS.frame_lateness_ms, LIMITS.loop_lag_ms, LIMITS.model_queue_ms)
    assert set(machine.run(10, *at_limit)) == {None}
    assert machine.headroom.is_strained


def test_a_single_late_frame_is_none_of_a_hundred():
    machine = Machine()
    machine.run(5)
    machine.run(FRAME_SECONDS, frame=200)
    assert set(machine.run(5)) == {None}


def test_a_limit_of_infinity_is_not_judged():
    machine = Machine(HeadroomLimits(inf, inf, inf))
    assert set(machine.run(10, 900, 900, 9_000)) == {None}
    assert not machine.headroom.is_strained


def test_there_is_room_again_two_to_three_seconds_after_the_last_long_delay():
    machine = Machine()
    machine.run(5)
    assert machine.run(1, frame=40)[-1] == "frames_late"
    assert set(machine.run(2)) == {"frames_late"}
    assert machine.run(1)[-1] is None
    assert set(machine.run(10)) == {None}, "what was measured before does not close it again"


def test_delays_between_the_bounds_neither_close_nor_open():
    between = LIMITS.frame_lateness_ms * (1 + CALM_SHARE) / 2
    machine = Machine()
    assert set(machine.run(10, frame=between)) == {None}
    machine.run(1, frame=40)
    assert set(machine.run(10, frame=between)) == {"frames_late"}


def test_the_reason_changes_with_what_is_late_now():
    machine = Machine()
    machine.run(1, frame=40)
    assert machine.run(4, loop=40)[-1] == "loop_blocked"
    assert machine.run(1, frame=12)[-1] == "loop_blocked", "the last one, while nothing is calm"


def test_a_worker_that_was_just_full_is_strained_for_a_while():
    machine = Machine()
    machine.run(1, frame=40)
    machine.run(3)
    assert machine.headroom.judge() is None
    assert machine.headroom.is_strained
    machine.run(3)
    assert not machine.headroom.is_strained


def test_the_first_second_of_calls_on_an_idle_worker_is_not_measured():
    machine = Machine()
    machine.has_calls = False
    machine.run(5)
    machine.has_calls = True
    assert set(machine.run(UNMEASURED_SECONDS - 0.1, frame=90, loop=90)) == {None}
    assert not machine.headroom.is_strained
    machine.run(0.2)
    assert machine.run(0.1, frame=90)[-1] == "frames_late"


def test_a_worker_without_calls_has_room_however_busy_its_machine_is():
    machine = Machine()
    machine.has_calls = False
    assert set(machine.run(20, loop=900)) == {None}
    assert not machine.headroom.is_strained


def test_work_that_waits_for_the_models_counts_without_calls():
    machine = Machine()
    machine.has_calls = False
    assert machine.run(0.1, queue=1_100)[-1] == "models_busy"


def test_what_calls_have_delayed_is_forgotten_when_the_last_one_has_ended():
    machine = Machine()
    assert machine.run(1, frame=40, loop=40)[-1] == "frames_late"
    machine.has_calls = False
    assert set(machine.run(FRAME_SECONDS, loop=90)) == {None}
    assert not machine.headroom.is_strained
