"""Time is made of frames of 20 ms."""

from __future__ import annotations

import numpy as np

from runtime.call.voicemail.watch import (
    GREETING_SECONDS,
    LONGEST_GREETING_SECONDS,
    RECORDS_AFTER_SECONDS,
    WATCH_SECONDS,
    Verdict,
    VoicemailWatch,
)
from runtime.media.room import Samples

HZ = 48_000
SILENCE = np.zeros(960, np.int16)
BEEP = (4_000 * np.sin(2 * np.pi * 1_000 * np.arange(960) / HZ)).astype(np.int16)

VOICE = np.random.default_rng(1).integers(-4_000, 4_000, 960).astype(np.int16)
"""As loud as one, and no beep."""


class Answer:
    def __init__(self) -> None:
        self.now = 0.0
        self.watch = VoicemailWatch(0.0, HZ)
        self.verdicts: list[Verdict] = []

    def note(self, verdict: Verdict | None) -> None:
        if verdict is not None:
            self.verdicts.append(verdict)

    def hear(self, seconds: float, frame: Samples = SILENCE) -> None:
        for _ in range(round(seconds / 0.02)):
            self.now += 0.02
            self.note(self.watch.frame(frame, self.now))

    def understand(self, text: str) -> None:
        self.note(self.watch.words(text, self.now))

    def speak(self, seconds: float) -> None:
        self.watch.speech(True, self.now)
        self.hear(seconds, VOICE)
        self.watch.speech(False, self.now)


def test_a_person_who_says_hello_and_waits_is_no_machine() -> None:
    answer = Answer()
    answer.speak(0.6)
    answer.hear(4.0)
    answer.speak(3.0)
    answer.hear(WATCH_SECONDS)
    assert answer.verdicts == []
    assert answer.watch.is_over(answer.now)


def test_a_greeting_that_goes_on_without_a_pause_is_a_machines() -> None:
    answer = Answer()
    answer.speak(GREETING_SECONDS / 2)
    answer.hear(0.4)
    answer.speak(GREETING_SECONDS / 2 + 0.2)
    assert answer.verdicts == [Verdict.MACHINE]


def test_the_words_of_a_machine_are_enough() -> None:
    answer = Answer()
    answer.understand("Please leave a message after the tone")
    answer.understand("Please leave a message after the tone. Thank you")
    assert answer.verdicts == [Verdict.MACHINE]


def test_later_in_the_call_nobody_is_a_machine_for_their_words() -> None:
    answer = Answer()
    answer.hear(WATCH_SECONDS + 0.1)
    answer.understand("I will get back to you, or leave a message for him.")
    assert answer.verdicts == []


def test_after_the_beep_the_machine_records() -> None:
    answer = Answer()
    answer.understand("leave a message")
    answer.hear(0.4, BEEP)
    assert answer.verdicts == [Verdict.MACHINE]
    answer.hear(0.1)
    assert answer.verdicts == [Verdict.MACHINE, Verdict.RECORDS]


def test_a_machine_that_does_not_beep_records_once_it_is_silent() -> None:
    answer = Answer()
    answer.understand("leave a message")
    answer.speak(2.0)
    answer.hear(RECORDS_AFTER_SECONDS - 0.1)
    assert answer.verdicts == [Verdict.MACHINE]
    answer.hear(0.2)
    assert answer.verdicts == [Verdict.MACHINE, Verdict.RECORDS]


def test_a_beep_alone_is_a_machines() -> None:
    answer = Answer()
    answer.hear(0.4, BEEP)
    answer.hear(0.1)
    assert answer.verdicts == [Verdict.MACHINE, Verdict.RECORDS]


def test_what_the_carrier_reports_counts_once_beside_what_is_heard() -> None:
    answer = Answer()
    answer.hear(0.4, BEEP)
    answer.hear(0.2)
    assert answer.verdicts == [Verdict.MACHINE, Verdict.RECORDS]
    assert answer.watch.reported(records=True) == []


def test_the_end_of_a_greeting_is_heard_where_the_carrier_only_says_that_it_is_a_machine() -> None:
    answer = Answer()
    assert answer.watch.reported(records=False) == [Verdict.MACHINE]
    answer.speak(2.0)
    answer.hear(RECORDS_AFTER_SECONDS + 0.1)
    assert answer.verdicts == [Verdict.RECORDS]


def test_a_machine_records_after_its_greeting_though_nobody_listens_for_words_any_more() -> None:
    answer = Answer()
    answer.watch.speech(True, answer.now)
    for verdict in answer.watch.reported(records=False):
        answer.note(verdict)
    answer.hear(2.0, VOICE)
    answer.hear(RECORDS_AFTER_SECONDS - 0.1)
    assert answer.verdicts == [Verdict.MACHINE]
    answer.hear(0.2)
    assert answer.verdicts == [Verdict.MACHINE, Verdict.RECORDS]


def test_a_greeting_that_does_not_end_is_not_waited_for_forever() -> None:
    answer = Answer()
    answer.understand("leave a message")
    answer.speak(LONGEST_GREETING_SECONDS - 1)
    assert answer.verdicts == [Verdict.MACHINE]
    answer.speak(2.0)
    answer.hear(RECORDS_AFTER_SECONDS + 1)
    assert answer.verdicts == [Verdict.MACHINE, Verdict.SPEAKS_ON]
