from __future__ import annotations

import numpy as np
import pytest

from bench.babble import babble
from pipelines.engine.channels.tts.sound_check import is_audible, is_sound
from tests.stand_ins.voice_faults import VOICE_HZ, noise, speech


@pytest.mark.parametrize(
    "body",
    [
        b'{"error": {"message": "You exceeded your current quota"}}' * 4,
        b"<html><body><h1>502 Bad Gateway</h1></body></html>\r\n" * 4,
        noise(4_800),
    ],
)
def test_documents_and_random_bytes_are_no_sound(body: bytes) -> None:
    assert not is_sound(np.frombuffer(body[: len(body) // 2 * 2], np.int16))


def test_speech_is_sound() -> None:
    samples = speech("She sells sea shells by the sea shore, sixty six of them.")
    loudest = (samples * (32_000 / np.abs(samples).max())).astype(np.int16)
    for begin in range(0, samples.size, 480):
        assert is_sound(samples[begin : begin + 480])
        assert is_sound(loudest[begin : begin + 480])
    assert is_sound(babble(VOICE_HZ, 1.0))


def test_silence_is_sound_that_is_not_audible() -> None:
    silence = np.zeros(480, np.int16)
    assert is_sound(silence)
    assert not is_audible(silence)
    assert not is_audible(silence[:0])
    assert is_audible(np.full(10, -32_768, np.int16))
