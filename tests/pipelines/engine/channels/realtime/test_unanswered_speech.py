"""What is kept of a caller's words for another recogniser."""

from __future__ import annotations

import pytest
from livekit import rtc

from pipelines.engine.channels.realtime.unanswered_speech import KEPT_SECONDS, UnansweredSpeech

RATE_HZ = 16_000


def frame(mark: int) -> rtc.AudioFrame:
    """20 ms."""
    samples = RATE_HZ // 50
    return rtc.AudioFrame(mark.to_bytes(2, "little") * samples, RATE_HZ, 1, samples)


def marks(frames: tuple[rtc.AudioFrame, ...]) -> list[int]:
    return [each.data[0] for each in frames]


def said(count: int, *, voice_from: int | None = None) -> UnansweredSpeech:
    speech = UnansweredSpeech()
    for mark in range(count):
        speech.push(frame(mark))
        if mark == voice_from:
            speech.voice()
    return speech


def test_a_turn_begins_half_a_second_before_its_voice_was_found() -> None:
    speech = said(100, voice_from=60)
    speech.turn_ended()
    assert marks(speech.turn) == list(range(36, 100))


def test_turns_without_words_are_kept_together_until_the_words_are_known() -> None:
    speech = said(10, voice_from=0)
    speech.turn_ended()
    speech.push(frame(10))
    speech.turn_ended()
    assert marks(speech.turn) == list(range(11))
    speech.words_known()
    assert speech.turn == ()


def test_while_nobody_speaks_only_the_last_moment_counts() -> None:
    assert marks(said(100).unfinished()) == list(range(75, 100))


def test_what_was_cleared_is_gone() -> None:
    speech = said(100, voice_from=60)
    speech.cleared()
    assert speech.unfinished() == ()


def test_no_more_is_kept_than_the_last_seconds() -> None:
    speech = said(1_000, voice_from=0)
    assert sum(each.duration for each in speech.unfinished()) == pytest.approx(KEPT_SECONDS)
