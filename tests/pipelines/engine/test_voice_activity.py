"""The engine gets the same events from our detector as from its own, without those of silence."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest
from livekit import rtc
from livekit.agents import inference, vad
from numpy.typing import NDArray

from contracts.agent_config import Advanced
from pipelines.engine.barge_in import BargeIn
from pipelines.engine.turn_handling import voice_activity
from tests.pipelines.engine.sounds import murmur
from tests.pipelines.engine.speech import spoken

HZ = 16_000
FRAME_SECONDS = 0.02
Kind = vad.VADEventType
Samples = NDArray[np.int16]

_OF_THE_CLOCK = {"inference_duration"}
_OF_SOUND = {"frames"}


def silence(seconds: float, hz: int = HZ) -> Samples:
    return np.zeros(int(seconds * hz), np.int16)


def dialogue() -> Samples:
    return np.concatenate(
        [
            silence(1.0),
            spoken("I would like to come next Tuesday afternoon."),
            silence(0.2),
            spoken("No."),
            silence(1.5),
            spoken("My name is Anna Miller."),
            silence(1.0),
        ]
    )


def noisy(samples: Samples) -> Samples:
    noise = np.random.default_rng(1).normal(0, 300, len(samples))
    return np.clip(samples + noise, -32_768, 32_767).astype(np.int16)


async def events_of(
    detector: vad.VAD, samples: Samples, *, hz: int = HZ, flush_at_seconds: float | None = None
) -> list[vad.VADEvent]:
    stream = detector.stream()
    size = int(hz * FRAME_SECONDS)
    for start in range(0, len(samples) - size, size):
        if flush_at_seconds is not None and start == int(flush_at_seconds * hz) // size * size:
            stream.flush()
        frame = samples[start : start + size]
        stream.push_frame(rtc.AudioFrame(frame.tobytes(), hz, 1, size))
    stream.end_input()
    events = [event async for event in stream]
    await stream.aclose()
    return events


def facts(event: vad.VADEvent, without: set[str]) -> dict[str, object]:
    found = {
        field.name: getattr(event, field.name)
        for field in fields(event)
        if field.name not in without | _OF_SOUND
    }
    if "frames" not in without:
        found["sound"] = b"".join(bytes(frame.data) for frame in event.frames)
    return found


def says_something(event: vad.VADEvent) -> bool:
    """Not one of the many events that only say that there is still no voice."""
    return event.type is not Kind.INFERENCE_DONE or bool(
        event.speaking or event.raw_accumulated_speech
    )


@pytest.mark.parametrize("flush_at_seconds", [None, 2.0, 5.5])
@pytest.mark.parametrize("is_noisy", [False, True])
async def test_the_engine_s_own_detector_says_the_same(
    is_noisy: bool, flush_at_seconds: float | None
) -> None:
    samples = noisy(dialogue()) if is_noisy else dialogue()
    ours = await events_of(voice_activity(Advanced()), samples, flush_at_seconds=flush_at_seconds)
    engine = await events_of(inference.VAD(), samples, flush_at_seconds=flush_at_seconds)
    ours_facts = [facts(event, _OF_THE_CLOCK) for event in ours if says_something(event)]
    assert ours_facts == [facts(event, _OF_THE_CLOCK) for event in engine if says_something(event)]
    kinds = [event.type for event in ours if event.type is not Kind.INFERENCE_DONE]
    assert kinds.count(Kind.START_OF_SPEECH) >= 2


async def test_silence_is_told_once_at_the_beginning_and_after_speech() -> None:
    ours = await events_of(voice_activity(Advanced()), dialogue())
    quiet = [n for n, event in enumerate(ours) if not says_something(event)]
    ends = [n for n, event in enumerate(ours) if event.type is Kind.END_OF_SPEECH]
    assert quiet[0] == 0
    assert [end + 1 for end in ends] == quiet[-len(ends) :]


async def test_turn_taking_gets_no_sound() -> None:
    detector = voice_activity(Advanced())
    silent = await events_of(detector.for_turn_taking(BargeIn()), dialogue())
    assert [event.frames for event in silent] == [[]] * len(silent)
    with_sound = await events_of(detector, dialogue())
    without = _OF_THE_CLOCK | _OF_SOUND | {"speech_duration"}
    assert [facts(event, without) for event in silent] == [
        facts(event, without) for event in with_sound
    ]


async def test_a_murmur_is_no_speech_that_stops_an_agent() -> None:
    detector = voice_activity(Advanced()).for_turn_taking(BargeIn())

    async def counted(sound: Samples) -> bool:
        events = await events_of(detector, np.concatenate([silence(1.0), sound, silence(1.0)]))
        assert any(event.type is Kind.START_OF_SPEECH for event in events)
        looks = (event for event in events if event.type is Kind.INFERENCE_DONE)
        return any(event.speech_duration > 0 for event in looks)

    assert not await counted(murmur(pitch_hz=110))
    assert await counted(spoken("No."))


@pytest.mark.parametrize(("pause_seconds", "is_told_at_once"), [(0.6, True), (3.0, False)])
async def test_the_engine_hears_of_a_caller_who_goes_on_with_the_window_that_makes_it_speech(
    pause_seconds: float, is_told_at_once: bool
) -> None:
    detector = voice_activity(Advanced()).for_turn_taking(BargeIn())
    first, then = spoken("Tuesday would be good."), spoken("But not before ten.")
    sound = np.concatenate([silence(0.5), first, silence(pause_seconds), then, silence(0.5)])
    events = await events_of(detector, sound)
    starts = [n for n, event in enumerate(events) if event.type is Kind.START_OF_SPEECH]
    assert len(starts) == 2
    before = events[starts[1] - 1]
    assert before.type is Kind.INFERENCE_DONE
    assert (before.speech_duration > 0) is is_told_at_once


async def test_sound_of_another_rate_is_heard_as_well() -> None:
    at = np.arange(0, len(dialogue()), HZ / 24_000)
    resampled = np.interp(at, np.arange(len(dialogue())), dialogue()).astype(np.int16)
    original = await events_of(voice_activity(Advanced()), dialogue())
    ours = await events_of(voice_activity(Advanced()), resampled, hz=24_000)

    def turns(events: list[vad.VADEvent]) -> list[tuple[Kind, int]]:
        changes = (event for event in events if event.type is not Kind.INFERENCE_DONE)
        return [(event.type, round(event.timestamp * 10)) for event in changes]

    assert len(turns(ours)) == len(turns(original))
    for (kind, at_tenth), (other, other_tenth) in zip(turns(ours), turns(original), strict=True):
        assert kind is other
        assert abs(at_tenth - other_tenth) <= 1


async def test_endless_speech_is_kept_for_a_minute() -> None:
    sentence = spoken("I would like to book an appointment for my daughter next week.")
    detector = voice_activity(Advanced(startSpeakingThreshold=0.05, stopSpeakingThreshold=0.05))
    endless = np.tile(sentence, int(65 * HZ / len(sentence)) + 1)
    events = await events_of(detector, np.concatenate([endless, silence(2.0)]))
    [end] = [event for event in events if event.type is Kind.END_OF_SPEECH]
    assert 60 * HZ <= len(end.frames[0].data) <= 61 * HZ


async def test_a_stream_that_is_over_refuses_sound() -> None:
    stream = voice_activity(Advanced()).stream()
    await stream.aclose()
    with pytest.raises(RuntimeError, match="no more sound"):
        stream.push_frame(rtc.AudioFrame(silence(FRAME_SECONDS).tobytes(), HZ, 1, 320))
    await stream.aclose()
