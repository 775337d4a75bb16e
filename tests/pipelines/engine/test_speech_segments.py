"""Speech begins and ends where the thresholds say."""

from __future__ import annotations

from pipelines.engine.speech_segments import SpeechSegments, SpeechThresholds

THRESHOLDS = SpeechThresholds(
    activation=0.5, deactivation=0.35, min_speech_seconds=0.05, min_silence_seconds=0.25
)
WINDOW_SECONDS = 0.032


def changes(*probabilities: float) -> dict[int, str]:
    """By the window, counted from 1."""
    segments = SpeechSegments(THRESHOLDS, WINDOW_SECONDS)
    found = {}
    for number, probability in enumerate(probabilities, start=1):
        segments.hear()
        if change := segments.judge(probability):
            found[number] = change
    return found


def test_speech_begins_when_the_voice_has_lasted() -> None:
    assert changes(0.1, 0.9, 0.9) == {3: "began"}


def test_a_click_is_no_speech() -> None:
    assert changes(0.9, 0.1, 0.9, 0.1) == {}


def test_speech_ends_after_the_shortest_silence() -> None:
    assert changes(0.9, 0.9, *[0.1] * 8) == {2: "began", 10: "ended"}


def test_a_soft_voice_carries_speech_on_but_does_not_begin_it() -> None:
    assert changes(0.4, 0.4, 0.4) == {}
    assert changes(0.9, 0.9, *[0.4] * 20) == {2: "began"}


def test_the_silence_that_ended_speech_is_not_speech() -> None:
    segments = SpeechSegments(THRESHOLDS, WINDOW_SECONDS)
    for probability in (*[0.9] * 10, *[0.1] * 8):
        segments.hear()
        segments.judge(probability)
    assert round(segments.speech_seconds, 3) == 0.32
    assert round(segments.silence_seconds, 3) == 0.256


def test_after_a_reset_nothing_was_heard() -> None:
    segments = SpeechSegments(THRESHOLDS, WINDOW_SECONDS)
    for _ in range(5):
        segments.hear()
        segments.judge(0.9)
    segments.reset()
    assert segments.is_quiet
    assert (segments.windows, segments.seconds, segments.speech_seconds) == (0, 0, 0)
