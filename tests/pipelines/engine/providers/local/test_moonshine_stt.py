"""The recogniser on real speech, fed frame by frame as fast as it takes them."""

from __future__ import annotations

import re

import numpy as np
import pytest
from livekit import rtc
from livekit.agents import stt

from contracts.agent_config import Advanced
from pipelines.engine.providers.local.moonshine_stt import MoonshineSTT
from pipelines.engine.shared_models import WarmModels
from pipelines.engine.turn_handling import voice_activity
from tests.pipelines.engine.speech import spoken

HZ = 16_000
FRAME = HZ // 50
Kind = stt.SpeechEventType


def recogniser(models: WarmModels) -> MoonshineSTT:
    assert models.local.moonshine is not None
    return MoonshineSTT(models.local.moonshine, voice_activity(Advanced()))


def silence(seconds: float) -> np.ndarray[tuple[int], np.dtype[np.int16]]:
    return np.zeros(int(seconds * HZ), np.int16)


async def events_of(
    models: WarmModels, *audio: np.ndarray[tuple[int], np.dtype[np.int16]]
) -> list[stt.SpeechEvent]:
    samples = np.concatenate(audio)
    async with recogniser(models).stream() as stream:
        for start in range(0, len(samples) - FRAME, FRAME):
            frame = samples[start : start + FRAME]
            stream.push_frame(rtc.AudioFrame(frame.tobytes(), HZ, 1, FRAME))
        stream.end_input()
        return [event async for event in stream]


def texts(events: list[stt.SpeechEvent], kind: Kind) -> list[str]:
    return [event.alternatives[0].text for event in events if event.type is kind]


def words(text: str) -> list[str]:
    return re.findall(r"[a-z]+", text.lower())


@pytest.mark.parametrize(
    "sentence",
    [
        "My name is Anna Miller.",
        "I would like to come next Tuesday afternoon.",
        "Yes, please.",
        "No.",
    ],
)
async def test_speech_becomes_one_final_text(warm_models: WarmModels, sentence: str) -> None:
    events = await events_of(warm_models, silence(0.4), spoken(sentence), silence(0.6))
    assert [words(text) for text in texts(events, Kind.FINAL_TRANSCRIPT)] == [words(sentence)]


# A recogniser that gets no core in time rightly leaves steps out.
@pytest.mark.latency
async def test_a_long_sentence_is_heard_as_it_grows(warm_models: WarmModels) -> None:
    events = await events_of(
        warm_models,
        silence(0.4),
        spoken("I would like to book an appointment for my daughter next week."),
        silence(0.6),
    )
    interim = texts(events, Kind.INTERIM_TRANSCRIPT)
    assert len(interim) >= 2
    assert len(interim[-1]) > len(interim[0])


async def test_the_final_text_is_known_before_the_end_of_speech(warm_models: WarmModels) -> None:
    events = await events_of(warm_models, silence(0.4), spoken("Good morning."), silence(0.6))
    kinds = [event.type for event in events]
    preflight, final = (
        texts(events, Kind.PREFLIGHT_TRANSCRIPT),
        texts(events, Kind.FINAL_TRANSCRIPT),
    )
    assert preflight[-1:] == final
    assert kinds.index(Kind.PREFLIGHT_TRANSCRIPT) < kinds.index(Kind.FINAL_TRANSCRIPT)
    assert kinds.index(Kind.FINAL_TRANSCRIPT) < kinds.index(Kind.END_OF_SPEECH)


async def test_two_utterances_are_two_finals_with_their_times(warm_models: WarmModels) -> None:
    first, second = spoken("Good morning."), spoken("Thank you.")
    events = await events_of(warm_models, silence(1), first, silence(1), second, silence(0.6))
    finals = [e.alternatives[0] for e in events if e.type is Kind.FINAL_TRANSCRIPT]
    assert [words(final.text) for final in finals] == [["good", "morning"], ["thank", "you"]]
    first_ends = 1 + len(first) / HZ
    assert finals[0].end_time == pytest.approx(first_ends, abs=0.15)
    assert finals[1].end_time == pytest.approx(first_ends + 1 + len(second) / HZ, abs=0.15)


async def test_a_click_of_voice_is_no_word(warm_models: WarmModels) -> None:
    click = spoken("Hm.")[: int(0.12 * HZ)]
    events = await events_of(warm_models, silence(0.6), click, silence(0.8))
    assert any(event.type is Kind.START_OF_SPEECH for event in events)
    assert texts(events, Kind.FINAL_TRANSCRIPT) == []


async def test_silence_says_nothing_and_is_billed(warm_models: WarmModels) -> None:
    events = await events_of(warm_models, silence(2.0))
    assert texts(events, Kind.FINAL_TRANSCRIPT) == []
    assert _billed_seconds(events) == pytest.approx(2.0, abs=0.05)


async def test_all_audio_is_billed_once(warm_models: WarmModels) -> None:
    speech = spoken("Good morning.")
    events = await events_of(warm_models, silence(1), speech, silence(1))
    assert _billed_seconds(events) == pytest.approx(2 + len(speech) / HZ, abs=0.05)


async def test_speech_cut_off_by_the_end_of_the_call_is_still_heard(
    warm_models: WarmModels,
) -> None:
    events = await events_of(warm_models, silence(0.4), spoken("My name is Anna Miller."))
    assert "anna" in words(texts(events, Kind.FINAL_TRANSCRIPT)[-1])


def _billed_seconds(events: list[stt.SpeechEvent]) -> float:
    return sum(e.recognition_usage.audio_duration for e in events if e.recognition_usage)
