import pytest

from contracts.call_plan import CallLimits
from runtime.call.funds import Funds
from runtime.call.limits import Due, LimitsWatch

LIMITS = CallLimits(
    max_duration_seconds=600,
    silence_prompt_seconds=8,
    silence_hangup_seconds=15,
    join_timeout_seconds=60,
)


@pytest.fixture
def watch() -> LimitsWatch:
    return LimitsWatch(LIMITS, Funds(None), opened_at=0.0)


def quiet(watch: LimitsWatch, now: float) -> None:
    watch.activity(user_speaking=False, agent_active=False, now=now)


def agent(watch: LimitsWatch, now: float) -> None:
    watch.activity(user_speaking=False, agent_active=True, now=now)


def user(watch: LimitsWatch, now: float) -> None:
    watch.activity(user_speaking=True, agent_active=False, now=now)


def test_nobody_joined_in_time(watch: LimitsWatch):
    assert watch.next_due_at == 60
    assert watch.due(59.9) is None
    assert watch.due(60) is Due.NOBODY_JOINED
    assert watch.due(61) is None


def test_no_silence_is_counted_before_somebody_joined(watch: LimitsWatch):
    quiet(watch, 1.0)
    assert watch.due(50) is None


def test_a_joined_call_no_longer_waits(watch: LimitsWatch):
    watch.started(5.0)
    agent(watch, 5.0)
    assert watch.due(100) is None


def test_nudges_after_mutual_silence_then_hangs_up(watch: LimitsWatch):
    watch.started(-1.0)
    user(watch, -1.0)
    quiet(watch, 0.0)
    assert watch.next_due_at == 8
    assert watch.due(7.9) is None
    assert watch.due(8.0) is Due.NUDGE
    agent(watch, 8.0)
    quiet(watch, 10.0)
    assert watch.next_due_at == 25
    assert watch.due(24.9) is None
    assert watch.due(25.0) is Due.SILENCE_TIMEOUT
    assert watch.due(100.0) is None


def test_hangs_up_even_when_the_nudge_could_not_be_spoken(watch: LimitsWatch):
    watch.started(0.0)
    assert watch.due(8.0) is Due.NUDGE
    assert watch.due(23.0) is Due.DEAD_AIR


def test_who_never_spoke_is_told_from_who_fell_silent(watch: LimitsWatch):
    watch.started(0.0)
    user(watch, 1.0)
    quiet(watch, 2.0)
    assert watch.due(10.0) is Due.NUDGE
    assert watch.due(25.0) is Due.SILENCE_TIMEOUT


def test_silence_counts_from_the_end_of_speech(watch: LimitsWatch):
    watch.started(0.0)
    agent(watch, 1.0)
    quiet(watch, 6.0)
    quiet(watch, 9.0)
    assert watch.due(13.9) is None
    assert watch.due(14.0) is Due.NUDGE


def test_a_caller_who_answers_the_nudge_starts_anew(watch: LimitsWatch):
    watch.started(0.0)
    assert watch.due(8.0) is Due.NUDGE
    user(watch, 12.0)
    quiet(watch, 14.0)
    assert watch.due(21.9) is None
    assert watch.due(22.0) is Due.NUDGE


def test_a_caller_who_presses_keys_is_not_silent(watch: LimitsWatch):
    watch.started(0.0)
    for pressed_at in range(2, 60, 2):
        watch.keys_pressed(float(pressed_at))
        assert watch.due(pressed_at + 1.9) is None
    assert watch.due(66.0) is Due.NUDGE


def test_a_caller_who_answers_the_nudge_with_a_key_starts_anew(watch: LimitsWatch):
    watch.started(0.0)
    assert watch.due(8.0) is Due.NUDGE
    watch.keys_pressed(12.0)
    assert watch.due(19.9) is None
    assert watch.due(20.0) is Due.NUDGE
    assert watch.due(35.0) is Due.SILENCE_TIMEOUT


def test_keys_begin_no_silence_while_the_agent_speaks(watch: LimitsWatch):
    watch.started(0.0)
    agent(watch, 1.0)
    watch.keys_pressed(2.0)
    assert watch.due(100.0) is None


@pytest.mark.parametrize(("max_seconds", "goodbye_at"), [(600, 594.0), (30, 24.0), (10, 8.0)])
def test_goodbye_comes_before_the_maximum_duration(max_seconds: int, goodbye_at: float):
    limits = LIMITS.model_copy(update={"max_duration_seconds": max_seconds})
    watch = LimitsWatch(limits, Funds(None), opened_at=0.0)
    watch.started(100.0)
    agent(watch, 100.0)
    assert watch.next_due_at == 100 + goodbye_at
    assert watch.due(100 + goodbye_at) is Due.MAX_DURATION
    assert watch.due(100 + goodbye_at) is None


def test_nobody_is_silent_while_nobody_is_connected(watch: LimitsWatch):
    watch.started(0.0)
    quiet(watch, 0.0)
    watch.meter_holds()
    assert watch.due(100.0) is None
    watch.meter_runs(1_000, 100.0)
    assert watch.due(107.9) is None
    assert watch.due(108.0) is Due.NUDGE
