from __future__ import annotations

import numpy as np

from pipelines.engine.providers.local.speech_buffer import Decode, DecodeTiming, SpeechBuffer

HZ = 1000
TICK = 0.1


def samples(seconds: float = TICK) -> np.ndarray[tuple[int], np.dtype[np.int16]]:
    return np.zeros(int(seconds * HZ), np.int16)


def speech_buffer(**timing: float) -> SpeechBuffer:
    return SpeechBuffer(
        samples(0.5), sample_rate=HZ, started_at_seconds=1.0, timing=DecodeTiming(**timing)
    )


def decodes(target: SpeechBuffer, silences: list[float]) -> list[Decode | None]:
    return [target.extend(samples(), silence) for silence in silences]


def test_interim_texts_come_at_their_interval_while_the_caller_speaks() -> None:
    assert decodes(speech_buffer(interim_interval_seconds=0.3), [0.0] * 7) == [
        None,
        None,
        Decode.INTERIM,
        None,
        None,
        Decode.INTERIM,
        None,
    ]


def test_on_a_busy_machine_interim_texts_come_less_often() -> None:
    spoken = speech_buffer(interim_interval_seconds=0.2, interim_rest=4.0)
    spoken.decoding_took(0.1)
    assert decodes(spoken, [0.0] * 4) == [None, None, None, Decode.INTERIM]


def test_the_first_short_silence_is_decoded_once() -> None:
    spoken = speech_buffer()
    assert decodes(spoken, [0.0, 0.05, 0.15, 0.25]) == [None, None, Decode.PREFLIGHT, None]
    assert not spoken.has_undecoded_voice


def test_voice_after_the_silence_makes_the_text_stale() -> None:
    spoken = speech_buffer()
    assert decodes(spoken, [0.15, 0.0, 0.15]) == [Decode.PREFLIGHT, None, Decode.PREFLIGHT]
    spoken.extend(samples(), 0.0)
    assert spoken.has_undecoded_voice


def test_silence_alone_is_never_decoded_again() -> None:
    assert (
        decodes(speech_buffer(interim_interval_seconds=0.2), [0.15] + [0.3] * 5)[1:] == [None] * 5
    )


def test_a_long_utterance_is_settled_in_parts_at_a_silence() -> None:
    spoken = speech_buffer(soft_limit_seconds=0.8, interim_interval_seconds=9)
    assert decodes(spoken, [0.0, 0.0, 0.0, 0.15]) == [None, None, None, Decode.PART]


def test_one_without_silence_is_settled_at_the_hard_limit() -> None:
    spoken = speech_buffer(hard_limit_seconds=0.8, interim_interval_seconds=9)
    assert decodes(spoken, [0.0, 0.0, 0.0]) == [None, None, Decode.PART]


def test_audio_is_everything_from_the_onset_on() -> None:
    spoken = SpeechBuffer(np.array([1, 2], np.int16), sample_rate=HZ, started_at_seconds=0.0)
    spoken.extend(np.array([3], np.int16), 0.0)
    assert spoken.audio().tolist() == [1, 2, 3]
    assert spoken.seconds == 0.003
