import pytest

from switchboard.caller.activity import SpeechInterval
from switchboard.caller.measurements import (
    barge_in_ms,
    first_sample_ms,
    percentile,
    voice_to_voice,
)
from switchboard.caller.speech_queue import SentSpeech


def spoken(start: float, end: float, text: str = "line") -> SentSpeech:
    return SentSpeech(text, start, end)


def agent(*spans: tuple[float, float]) -> list[SpeechInterval]:
    return [SpeechInterval(start, end) for start, end in spans]


def test_first_sample_counts_from_the_connection() -> None:
    assert first_sample_ms(10.0, agent((10.25, 12.0))) == 250.0
    assert first_sample_ms(10.0, []) is None


def test_a_reply_is_the_first_speech_after_the_utterance() -> None:
    (turn,) = voice_to_voice([spoken(5.0, 7.0)], agent((1.0, 4.0), (7.8, 9.0), (9.3, 10.0)))
    assert (turn.outcome, turn.latency_ms) == ("answered", 800.0)


def test_speech_after_the_next_utterance_is_not_the_reply_to_the_first() -> None:
    turns = voice_to_voice([spoken(1.0, 2.0), spoken(6.0, 7.0)], agent((7.5, 8.0)))
    assert [turn.outcome for turn in turns] == ["unanswered", "answered"]


def test_an_agent_that_is_still_talking_when_the_utterance_ends_has_no_latency() -> None:
    (turn,) = voice_to_voice([spoken(3.0, 4.0)], agent((2.0, 4.5), (5.5, 6.0)))
    assert (turn.outcome, turn.latency_ms) == ("talked_over", None)


def test_speech_too_soon_to_be_a_reply_is_no_record_latency() -> None:
    (turn,) = voice_to_voice([spoken(3.0, 4.0)], agent((4.05, 6.0)))
    assert turn.outcome == "talked_over"


def test_an_agent_that_was_interrupted_and_then_replies_is_measured_from_the_end() -> None:
    (turn,) = voice_to_voice([spoken(3.0, 5.0)], agent((1.0, 3.3), (5.6, 7.0)))
    assert turn.latency_ms == pytest.approx(600.0)


def test_barge_in_runs_from_the_callers_onset_to_the_agents_last_sample() -> None:
    assert barge_in_ms(spoken(3.0, 5.0), agent((1.0, 3.25), (5.6, 7.0))) == 250.0


def test_a_pause_between_two_sentences_is_not_a_stop() -> None:
    latency = barge_in_ms(spoken(3.0, 5.0), agent((1.0, 3.1), (3.5, 4.4), (6.0, 7.0)))
    assert latency == pytest.approx(1400.0)


def test_an_onset_between_two_words_of_the_agent_is_a_barge_in() -> None:
    latency = barge_in_ms(spoken(3.0, 5.0), agent((1.0, 2.9), (3.1, 3.3), (5.6, 7.0)))
    assert latency == pytest.approx(300.0)


def test_an_agent_that_had_just_finished_was_not_cut_in_on() -> None:
    assert barge_in_ms(spoken(3.0, 5.0), agent((1.0, 2.9), (5.6, 7.0))) is None


def test_an_utterance_in_silence_is_no_barge_in() -> None:
    assert barge_in_ms(spoken(3.0, 5.0), agent((1.0, 2.0), (5.6, 7.0))) is None


@pytest.mark.parametrize(
    ("percent", "expected"), [(50, 3.0), (95, 5.0), (100, 5.0), (1, 1.0), (60, 3.0), (61, 4.0)]
)
def test_percentiles_are_observed_values(percent: float, expected: float) -> None:
    assert percentile([5.0, 1.0, 4.0, 2.0, 3.0], percent) == expected


def test_no_values_have_no_percentile() -> None:
    assert percentile([], 95) is None


def test_a_caller_that_said_nothing_has_no_turns() -> None:
    assert voice_to_voice([], agent((1.0, 2.0))) == []
