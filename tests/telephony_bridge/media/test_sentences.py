from __future__ import annotations

import io
import wave

import pytest

from contracts.phone_media import Encoding, LegFormat, SampleHz
from telephony_bridge.media.sentences import TEXTS, Sentence, sentence_frames, wav_file


@pytest.mark.parametrize("sentence", Sentence)
def test_every_sentence_is_recorded_as_every_carrier_can_play_it(sentence: Sentence) -> None:
    assert TEXTS[sentence]
    with wave.open(io.BytesIO(wav_file(sentence))) as recording:
        assert recording.getparams()[:3] == (1, 2, 8_000)
        assert 1 < recording.getnframes() / 8_000 < 10


@pytest.mark.parametrize(
    ("encoding", "sample_hz"), [("mulaw", 8_000), ("l16", 8_000), ("l16", 16_000), ("l16", 24_000)]
)
def test_a_sentence_is_whole_frames_of_any_leg(encoding: Encoding, sample_hz: SampleHz) -> None:
    leg_format = LegFormat(encoding=encoding, sample_hz=sample_hz)
    frames = sentence_frames(Sentence.FAULT, leg_format)
    assert {len(frame) for frame in frames} == {leg_format.frame_bytes}
    with wave.open(io.BytesIO(wav_file(Sentence.FAULT))) as recording:
        seconds = recording.getnframes() / 8_000
    assert abs(len(frames) * 0.02 - seconds) <= 0.02
