"""Marks that come back, late, never, or out of a time before a flush."""

from __future__ import annotations

import pytest

from runtime.media.phones.carrier_delay import LONGEST_SECONDS, CarrierDelay


def marked(delay: CarrierDelay, *sequences: int) -> None:
    for sequence in sequences:
        delay.sent(sequence, sequence / 50)


def test_until_the_carrier_tells_the_phone_is_taken_to_play_at_once() -> None:
    delay = CarrierDelay()
    marked(delay, 0, 10, 20)
    assert delay.seconds(0.9) == 0.0


def test_a_mark_tells_how_long_the_carrier_holds_the_sound() -> None:
    delay = CarrierDelay()
    marked(delay, 0, 10)
    delay.played(0, 0.3)
    assert delay.seconds(0.3) == pytest.approx(0.3)
    delay.played(10, 0.45)
    assert delay.seconds(0.5) == pytest.approx(0.25)


def test_the_delay_grows_while_a_mark_is_due() -> None:
    delay = CarrierDelay()
    marked(delay, 0, 10)
    delay.played(0, 0.1)
    assert delay.seconds(0.25) == pytest.approx(0.1)
    assert delay.seconds(0.6) == pytest.approx(0.4)


def test_a_mark_that_never_comes_back_is_given_up() -> None:
    delay = CarrierDelay()
    marked(delay, 0, 10)
    delay.played(0, 0.1)
    assert delay.seconds(0.2 + LONGEST_SECONDS + 0.01) == pytest.approx(0.1)
    marked(delay, 100)
    delay.played(100, 2.3)
    assert delay.seconds(2.3) == pytest.approx(0.3)


def test_a_flush_drops_its_marks_and_the_delay_stays_until_the_carrier_tells() -> None:
    delay = CarrierDelay()
    marked(delay, 0, 10)
    delay.played(0, 0.3)
    delay.flushed()
    delay.played(10, 0.31)
    assert delay.seconds(0.9) == pytest.approx(0.3)


def test_a_mark_that_nobody_awaits_changes_nothing() -> None:
    delay = CarrierDelay()
    delay.played(7, 0.5)
    marked(delay, 10)
    delay.played(10, 0.4)
    delay.played(10, 0.9)
    assert delay.seconds(0.4) == pytest.approx(0.2)


def test_marks_that_never_come_back_are_not_kept() -> None:
    delay = CarrierDelay()
    marked(delay, *range(0, 10_000, 10))
    assert len(delay._awaited) <= LONGEST_SECONDS * 50 / 10 + 1
