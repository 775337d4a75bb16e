import numpy as np
import pytest

from switchboard.caller.speech_queue import PreparedLine, SpeechQueue
from switchboard_client.webrtc.frame import FRAME_SAMPLES, SAMPLE_RATE_HZ, silence


def utterance(samples: int) -> PreparedLine:
    return PreparedLine("hello", np.full(samples, 1000, dtype=np.int16))


def test_every_sample_is_sent_once_and_in_order() -> None:
    queue = SpeechQueue()
    audio = np.arange(1, 2501, dtype=np.int16)
    queue.say(PreparedLine("count", audio))
    sent = np.concatenate([queue.next_frame(index * 0.02) for index in range(5)])
    assert np.array_equal(sent[: audio.size], audio)
    assert not sent[audio.size :].any()


def test_first_and_last_sample_times_are_exact() -> None:
    queue = SpeechQueue()
    queue.next_frame(9.98)
    queue.say(utterance(2 * FRAME_SAMPLES + 480))
    for index in range(4):
        queue.next_frame(10.0 + index * 0.02)
    (spoken,) = queue.spoken
    assert spoken.first_sample_at == 10.0
    assert spoken.last_sample_at == pytest.approx(10.05)


def test_a_late_frame_moves_the_last_sample_with_it() -> None:
    queue = SpeechQueue()
    queue.say(utterance(2 * FRAME_SAMPLES))
    queue.next_frame(1.0)
    queue.next_frame(1.5)
    assert queue.spoken[0].last_sample_at == pytest.approx(1.52)


def test_two_utterances_never_share_a_frame() -> None:
    queue = SpeechQueue()
    queue.say(utterance(100))
    queue.say(utterance(100))
    first, second = queue.next_frame(0.0), queue.next_frame(0.02)
    assert first[100:].any() == second[100:].any() == np.False_
    assert [each.first_sample_at for each in queue.spoken] == [0.0, 0.02]


def test_what_was_cut_off_does_not_count_as_spoken() -> None:
    queue = SpeechQueue()
    queue.say(utterance(10 * FRAME_SAMPLES))
    queue.next_frame(0.0)
    queue.clear()
    assert queue.is_silent
    assert not queue.next_frame(0.02).any()
    assert queue.spoken == []


def test_an_utterance_is_trimmed_to_its_speech() -> None:
    loud = np.full(SAMPLE_RATE_HZ, 1000, dtype=np.int16)
    padded = np.concatenate([silence(4800), loud, silence(9600)])
    assert PreparedLine.of("hello", padded).seconds == pytest.approx(1.0, abs=0.01)


def test_a_silent_utterance_is_refused() -> None:
    with pytest.raises(ValueError, match="silent"):
        PreparedLine.of("hello", silence(48_000))
