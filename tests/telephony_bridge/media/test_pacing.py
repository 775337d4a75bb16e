import pytest

from telephony_bridge.media.pacing import Allowance, Pacing, too_much_waits


def test_a_carrier_never_holds_more_than_200_ms() -> None:
    pacing = Pacing()
    sent = sum(pacing.may_send(20, now=0.0) for _ in range(50))
    assert sent == 10
    assert pacing.held_ms(now=0.0) == pytest.approx(200)
    assert pacing.dropped_frames == 40


def test_frames_in_real_time_all_pass() -> None:
    pacing = Pacing()
    assert all(pacing.may_send(20, now=number * 0.02) for number in range(500))


def test_after_a_stall_what_would_be_late_is_dropped_and_the_next_passes() -> None:
    pacing = Pacing()
    assert all(pacing.may_send(20, now=1.0) for _ in range(10))
    assert not pacing.may_send(20, now=1.0)
    assert pacing.may_send(20, now=1.02)


def test_a_flushed_carrier_holds_nothing() -> None:
    pacing = Pacing()
    for _ in range(10):
        pacing.may_send(20, now=0.0)
    pacing.flushed(now=0.05)
    assert pacing.held_ms(now=0.05) == 0
    assert pacing.may_send(20, now=0.05)


def test_a_connection_that_has_200_ms_of_sound_to_send_gets_no_more() -> None:
    frame = bytes(160)
    assert not too_much_waits(10 * len(frame), frame)
    assert too_much_waits(10 * len(frame) + 1, frame)


def test_an_allowance_is_used_up_at_once_and_comes_back_with_time() -> None:
    allowance = Allowance(at_once=3, per_second=2, now=100.0)
    assert [allowance.takes(1, 100.0) for _ in range(4)] == [True, True, True, False]
    assert [allowance.takes(1, 100.5) for _ in range(2)] == [True, False]


def test_an_allowance_that_is_not_used_does_not_grow() -> None:
    allowance = Allowance(at_once=3, per_second=2, now=0.0)
    assert [allowance.takes(1, 3_600.0) for _ in range(4)] == [True, True, True, False]
