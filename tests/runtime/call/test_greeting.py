"""A person who answers and waits, or a machine."""

from __future__ import annotations

import numpy as np

from runtime.call.transfer.greeting import Answered, GreetingWatch
from runtime.media.room import Samples

TIME = np.arange(960) / 48_000
SILENCE = np.zeros(960, np.int16)
VOICE = (6_000 * np.sin(2 * np.pi * 200 * TIME)).astype(np.int16)
BEEP = (6_000 * np.sin(2 * np.pi * 1_000 * TIME)).astype(np.int16)


def answers(*parts: tuple[Samples, float]) -> list[tuple[Answered, float]]:
    """Each answer, and after how many seconds."""
    watch, now, found = GreetingWatch(0.0), 0.0, []
    for frame, seconds in parts:
        for _ in range(round(seconds * 50)):
            now += 0.02
            if (answer := watch.frame(frame, now)) is not None:
                found.append((answer, round(now, 1)))
    return found


def test_a_person_says_hello_and_waits() -> None:
    assert answers((SILENCE, 0.5), (VOICE, 0.6), (SILENCE, 2)) == [(Answered.PERSON, 2.0)]


def test_a_person_may_say_nothing() -> None:
    assert answers((SILENCE, 5)) == [(Answered.PERSON, 3.0)]


def test_a_click_is_no_greeting() -> None:
    assert answers((VOICE, 0.04), (SILENCE, 2.5)) == []


def test_a_beep_is_a_machine_even_after_a_pause_that_seemed_a_persons() -> None:
    heard = answers((VOICE, 2), (SILENCE, 1.2), (BEEP, 0.5))
    assert [answer for answer, _ in heard] == [Answered.PERSON, Answered.MACHINE]


def test_somebody_who_speaks_on_and_on_is_a_machine() -> None:
    assert [answer for answer, _ in answers((VOICE, 7))] == [Answered.MACHINE]
