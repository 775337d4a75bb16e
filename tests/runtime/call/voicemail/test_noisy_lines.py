"""Spoken greetings and beeps of 8 kHz on lines with noise, as the room hears them."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from runtime.call.transfer.greeting import Answered, GreetingWatch
from runtime.call.voicemail.watch import RECORDS_AFTER_SECONDS, Verdict, VoicemailWatch
from runtime.media.room import Samples
from tests.stand_ins.carriers.sound import PHONE_HZ, resampled, silence, spoken, tone

HZ, FRAME = 48_000, 960
GREETING = "Hello, nobody is at home. Please leave a message after the tone."
HELLO = "Reception, hello?"
NOISES = ["hiss -40", "hiss -30", "hum -30"]
"""dBFS. The voice has -21 to -25 where it sounds: 5 dB more than the loudest noise."""


def noise(kind: str, samples: int) -> Samples:
    name, level_db = kind.split()
    rms = 32_768 * 10 ** (float(level_db) / 20)
    if name == "hiss":
        return np.random.default_rng(1).normal(0, rms, samples).astype(np.int16)
    times = np.arange(samples) / PHONE_HZ
    parts = [np.sin(2 * np.pi * hz * times) / divisor for hz, divisor in ((50, 1), (150, 3))]
    hum = sum(parts)
    return np.asarray(hum * rms / np.sqrt(np.mean(np.square(hum)))).astype(np.int16)


@cache
def on_line(kind: str, *parts: str) -> Samples:
    """``parts`` are texts, ``beep <Hz>``, or seconds of silence."""
    sounds = []
    for part in parts:
        if part.startswith("beep"):
            sounds.append(tone(float(part.split()[1]), 0.4, amplitude=3_000))
        elif part[0].isdigit():
            sounds.append(silence(float(part)))
        else:
            sounds.append(spoken(part))
    clean = np.concatenate(sounds)
    noisy = clean.astype(np.int32) + noise(kind, clean.size)
    # The room hears nothing before the first packet.
    sound = np.concatenate([silence(0.2), np.clip(noisy, -32_768, 32_767).astype(np.int16)])
    return resampled(sound, PHONE_HZ, HZ)


def frames(sound: Samples) -> list[tuple[Samples, float]]:
    whole = sound[: sound.size // FRAME * FRAME].reshape(-1, FRAME)
    return [(frame, (index + 1) * 0.02) for index, frame in enumerate(whole)]


def machine_verdicts(sound: Samples, is_machine_after: float | None = None) -> dict[Verdict, float]:
    """When each verdict comes.

    Args:
        is_machine_after: a voice is heard, and then the carrier tells that it is a machine.
    """
    watch, verdicts = VoicemailWatch(0.0, HZ), dict[Verdict, float]()
    if is_machine_after is not None:
        watch.speech(True, 0.3)
    for frame, now in frames(sound):
        verdict = watch.frame(frame, now)
        if is_machine_after is not None and now >= is_machine_after:
            verdicts.update(dict.fromkeys(watch.reported(records=False), now))
            is_machine_after = None
        if verdict is not None:
            verdicts[verdict] = now
    return verdicts


@pytest.mark.parametrize("hz", [440, 1_000, 1_400])
@pytest.mark.parametrize("kind", NOISES)
def test_the_beep_is_found_and_the_message_begins_after_it(kind: str, hz: int) -> None:
    before = on_line(kind, GREETING, "0.3").size / HZ
    verdicts = machine_verdicts(on_line(kind, GREETING, "0.3", f"beep {hz}", "2.0"))
    assert before < verdicts[Verdict.MACHINE] < before + 0.4, "no word of the greeting is a beep"
    assert before + 0.35 < verdicts[Verdict.RECORDS] < before + 0.7


@pytest.mark.parametrize("kind", NOISES)
def test_the_end_of_a_greeting_without_a_beep_is_found(kind: str) -> None:
    loud = np.flatnonzero(np.abs(spoken(GREETING)) > 1_000)
    before = 0.2 + loud[-1] / PHONE_HZ
    verdicts = machine_verdicts(on_line(kind, GREETING, "5.0"), is_machine_after=2.0)
    records_at = before + RECORDS_AFTER_SECONDS
    assert records_at - 0.5 < verdicts[Verdict.RECORDS] < records_at + 0.5


@pytest.mark.parametrize("kind", NOISES)
def test_a_person_on_a_noisy_line_is_a_person(kind: str) -> None:
    watch = GreetingWatch(0.0)
    heard = frames(on_line(kind, "0.5", HELLO, "12.0"))
    answers = [(answer, now) for frame, now in heard if (answer := watch.frame(frame, now))]
    assert [answer for answer, _ in answers] == [Answered.PERSON]
    assert answers[0][1] < 4.0
    assert machine_verdicts(on_line(kind, "0.5", HELLO, "12.0")) == {}


@pytest.mark.parametrize("kind", NOISES)
def test_a_line_with_nothing_but_noise_is_no_machine(kind: str) -> None:
    assert machine_verdicts(on_line(kind, "20.0")) == {}
    watch = GreetingWatch(0.0)
    found = {watch.frame(frame, now) for frame, now in frames(on_line(kind, "20.0"))}
    assert Answered.MACHINE not in found


@pytest.mark.parametrize("kind", NOISES)
def test_a_machine_that_answers_for_a_person_is_found_by_its_beep(kind: str) -> None:
    watch = GreetingWatch(0.0)
    heard = frames(on_line(kind, "0.4", GREETING, "0.3", "beep 1000", "1.0"))
    assert Answered.MACHINE in {watch.frame(frame, now) for frame, now in heard}
