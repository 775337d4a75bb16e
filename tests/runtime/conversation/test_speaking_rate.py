from __future__ import annotations

import numpy as np
import pytest
from livekit import rtc
from livekit.agents.voice.transcription import TranscriptSynchronizer

from runtime.conversation.engine_io import RoomAudioOutput
from runtime.conversation.speaking_rate import LoudnessStream, weigh_by_loudness
from tests.runtime.conversation.test_engine_io import VoiceOnlyRoom

RATE_HZ = 24_000


def audio(seconds: float, level: int, channels: int = 1) -> rtc.AudioFrame:
    samples = round(RATE_HZ * seconds)
    data = np.full(samples * channels, level, np.int16).tobytes()
    return rtc.AudioFrame(data, RATE_HZ, channels, samples)


async def weighed(stream: LoudnessStream) -> list[tuple[float, float]]:
    stream.end_input()
    return [(round(each.timestamp, 3), each.speaking_rate) async for each in stream]


async def test_sound_counts_and_pauses_do_not() -> None:
    stream = LoudnessStream()
    for seconds, level in ((0.1, 3000), (0.1, 20), (0.05, 3000)):
        stream.push_frame(audio(seconds, level))
    assert await weighed(stream) == [(0.05, 1), (0.1, 1), (0.15, 0), (0.2, 0), (0.25, 1)]


@pytest.mark.parametrize("frame_seconds", [0.01, 0.02, 0.07, 1.0])
async def test_the_length_of_the_frames_makes_no_difference(frame_seconds: float) -> None:
    whole, cut = LoudnessStream(), LoudnessStream()
    samples = np.repeat(np.array([3000, 20, 3000], np.int16), round(RATE_HZ * 0.33))
    step = round(RATE_HZ * frame_seconds)
    whole.push_frame(rtc.AudioFrame(samples.tobytes(), RATE_HZ, 1, samples.size))
    for first in range(0, samples.size, step):
        part = samples[first : first + step]
        cut.push_frame(rtc.AudioFrame(part.tobytes(), RATE_HZ, 1, part.size))
    assert await weighed(cut) == await weighed(whole)


async def test_the_rest_of_a_sentence_counts_for_its_own_length() -> None:
    stream = LoudnessStream()
    stream.push_frame(audio(0.06, 3000))
    assert await weighed(stream) == [(0.05, 1), (0.06, 1)]


async def test_of_several_channels_the_first_counts() -> None:
    stream = LoudnessStream()
    stream.push_frame(audio(0.05, 3000, channels=2))
    assert await weighed(stream) == [(0.05, 1)]


async def test_the_engine_s_synchroniser_computes_no_spectrum(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    spectra: list[object] = []
    monkeypatch.setattr(np.fft, "rfft", spectra.append)
    room = VoiceOnlyRoom()
    synchronizer = TranscriptSynchronizer(
        next_in_chain_audio=RoomAudioOutput(room), next_in_chain_text=None
    )
    weigh_by_loudness(synchronizer)
    for _ in range(40):
        await synchronizer.audio_output.capture_frame(audio(0.05, 3000))
    synchronizer.audio_output.flush()
    await room.play(2.0)
    segment = synchronizer._impl
    assert isinstance(segment._audio_data.sr_stream, LoudnessStream)
    assert segment._audio_data.estimated_rate.accumulate_to(2.0) == pytest.approx(2.0)
    await synchronizer.aclose()
    assert spectra == []
