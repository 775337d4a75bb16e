"""A recorded call on real audio: what its recording holds, and where on the clock."""

from __future__ import annotations

import asyncio
import os
import signal
import time
import wave
from dataclasses import dataclass
from io import BytesIO
from typing import Any

import av
import httpx2
import numpy as np
import pytest
from numpy.typing import NDArray

from contracts.recording import PART_MS, SAMPLE_HZ, part_starts_at_ms
from switchboard.caller.activity import active_windows
from switchboard.caller.call_session import call_agent
from switchboard.caller.dialogue_policy import LineByLine, Rule, RuleFollower
from switchboard.caller.prepared_speech import prepare_speech
from switchboard.caller.resampling import to_pcm, to_waveform, upsampled
from switchboard.caller.speech_models import Recogniser
from switchboard_client import ApiError, AsyncSwitchboard
from tests.e2e.conftest import LiveSwitchboard
from tests.e2e.polling import ended_call, until
from tests.e2e.running_call import RunningCall

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]

LINES = (
    "Hi, I would like to book an appointment.",
    "No, this is my first time.",
    "My name is Emma Wilson.",
)
ANNOUNCEMENT = "This call is being recorded."
CLOCK_TOLERANCE_MS = 250
STORED_WITHIN_MS = 1500
"""From a part's last sample to its place in the store, on a busy machine."""
PARTS = "objects/recordings/**/*.flac"
LEFT, RIGHT = 0, 1
CHANNEL = {"user": LEFT, "agent": RIGHT}


@dataclass(frozen=True)
class Recorded:
    """A finished call and its recording as a client gets them. ``audio``: ``(samples, 2)``."""

    call: dict[str, Any]
    recording: dict[str, Any]
    audio: NDArray[np.int16]
    ogg: bytes

    @property
    def segments(self) -> list[dict[str, Any]]:
        """What was said while it was recorded."""
        segments: list[dict[str, Any]] = self.call["transcript"]["segments"]
        return [each for each in segments if each["text"] != ANNOUNCEMENT]

    def slice(self, channel: int, start_ms: float, end_ms: float) -> NDArray[np.int16]:
        first, last = (int(max(0, ms) * SAMPLE_HZ / 1000) for ms in (start_ms, end_ms))
        return self.audio[first:last, channel]


async def recorded_agent(api: AsyncSwitchboard, agent_id: str, *, require_consent: bool) -> str:
    """A published copy of an agent that records its calls."""
    copy = await api.agents.clone(agent_id)
    features = {"recording_enabled": True, "require_consent": require_consent}
    await api.agents.update(copy.id, {"features": features})
    await api.agents.publish(copy.id)
    return str(copy.id)


async def finished_recording(api: AsyncSwitchboard, call_id: str) -> dict[str, Any]:
    found = await until(
        lambda: api.request("GET", f"/v1/calls/{call_id}/recording"),
        lambda answer: answer["recording"]["status"] != "processing",
        within_seconds=60,
    )
    assert found["call_id"] == call_id
    assert found["recording"]["status"] == "completed", found
    recording: dict[str, Any] = found["recording"]
    return recording


async def downloaded(recording: dict[str, Any], file: str = "stereo_mix") -> bytes:
    """Without a key: the address is enough."""
    async with httpx2.AsyncClient() as http:
        answer = await http.get(recording["metadata"][file]["signed_url"])
    assert answer.status_code == 200, answer.text
    assert len(answer.content) == recording["metadata"][file]["size_bytes"]
    return answer.content


def samples_of(wav: bytes) -> NDArray[np.int16]:
    with wave.open(BytesIO(wav)) as file:
        assert (file.getnchannels(), file.getframerate()) == (2, SAMPLE_HZ)
        return np.frombuffer(file.readframes(file.getnframes()), np.int16).reshape(-1, 2)


async def recorded_call(system: LiveSwitchboard, *, require_consent: bool) -> Recorded:
    conversation = LineByLine(LINES)
    speech = await prepare_speech(conversation.lines())
    async with system.api() as api:
        agent_id = await recorded_agent(
            api, system.account.agent_id, require_consent=require_consent
        )
        summary = await call_agent(
            api, agent_id, conversation, speech, lambda _: None, asyncio.Event()
        )
        call = await ended_call(api, summary.call_id)
        recording = await finished_recording(api, summary.call_id)
    audio = samples_of(await downloaded(recording))
    return Recorded(call, recording, audio, await downloaded(recording, "stereo_mix_ogg"))


@pytest.fixture(scope="module")
def recorded(switchboard: LiveSwitchboard) -> Recorded:
    return asyncio.run(recorded_call(switchboard, require_consent=True))


@pytest.fixture(scope="module")
def recogniser() -> Recogniser:
    return Recogniser()


def heard_in(recogniser: Recogniser, samples: NDArray[np.int16]) -> str:
    silence = np.zeros(SAMPLE_HZ // 2, np.int16)
    padded = np.concatenate([silence, samples, silence])
    return recogniser.transcribe(to_pcm(upsampled(to_waveform(padded), 2))).lower()


def words_of(text: str) -> set[str]:
    return {"".join(filter(str.isalnum, word)) for word in text.lower().split()} - {""}


async def stored_parts(system: LiveSwitchboard) -> list[int]:
    """Where the parts in the store begin, in ms of the only recorded call."""
    return [part_starts_at_ms(str(path)) for path in system.data_dir.glob(PARTS)]


def speech_bounds_ms(samples: NDArray[np.int16]) -> tuple[float, float] | None:
    """First and last speech in ``samples``; the caller's channel has come through a codec."""
    window = 240 * 1000 / SAMPLE_HZ
    active = [index for index, speaks in enumerate(active_windows(samples, 60)) if speaks]
    return (active[0] * window, (active[-1] + 1) * window) if active else None


def test_it_lasts_as_long_as_the_call(recorded: Recorded) -> None:
    lasts_ms = len(recorded.audio) * 1000 / SAMPLE_HZ
    assert recorded.recording["metadata"]["duration_ms"] == pytest.approx(lasts_ms, abs=1)
    assert lasts_ms / 1000 == pytest.approx(recorded.call["bill_duration"], abs=0.5)
    assert recorded.recording["metadata"]["detail"] is None
    assert recorded.call["recording"]["id"] == recorded.recording["id"]


def test_each_side_is_on_its_own_channel(recorded: Recorded, recogniser: Recogniser) -> None:
    left = heard_in(recogniser, recorded.audio[:, LEFT])
    right = heard_in(recogniser, recorded.audio[:, RIGHT])
    assert "book an appointment" in left
    assert "emma wilson" in left
    assert "how can i help" in right
    assert "been to our clinic" in right
    assert "how can i help" not in left
    assert "book an appointment" not in right


def test_every_segment_is_heard_at_its_time(recorded: Recorded, recogniser: Recogniser) -> None:
    assert len(recorded.segments) >= 6
    for segment in recorded.segments:
        channel = CHANNEL[segment["speaker"]]
        start, end = segment["started_at_ms"], segment["ended_at_ms"]
        slack = CLOCK_TOLERANCE_MS
        said = words_of(segment["text"])
        heard = words_of(heard_in(recogniser, recorded.slice(channel, start - slack, end + slack)))
        assert len(said & heard) >= 0.7 * len(said), (segment, heard)


def test_segments_begin_and_end_where_the_waveform_does(recorded: Recorded) -> None:
    wrong = []
    for segment in recorded.segments:
        start, end = segment["started_at_ms"], segment["ended_at_ms"]
        channel = CHANNEL[segment["speaker"]]
        bounds = speech_bounds_ms(recorded.slice(channel, start - 600, end + 600))
        assert bounds is not None, segment
        begins, ends = (max(0, start - 600) + bound for bound in bounds)
        if max(abs(begins - start), abs(ends - end)) > CLOCK_TOLERANCE_MS:
            wrong.append((segment["speaker"], segment["text"], start, begins, end, ends))
    assert wrong == []


def test_nothing_is_recorded_before_the_announcement_was_played(recorded: Recorded) -> None:
    announced, *_ = recorded.call["transcript"]["segments"]
    assert announced["text"] == ANNOUNCEMENT
    assert not recorded.slice(LEFT, 0, announced["ended_at_ms"] - 100).any()
    assert not recorded.slice(RIGHT, 0, announced["ended_at_ms"] - 100).any()
    opener = recorded.segments[0]
    assert opener["started_at_ms"] >= announced["ended_at_ms"]


def test_the_opus_file_holds_the_same_audio(recorded: Recorded, recogniser: Recogniser) -> None:
    with av.open(BytesIO(recorded.ogg), "r") as container:
        stream = container.streams.audio[0]
        assert (stream.codec_context.name, stream.channels) in (("opus", 2), ("libopus", 2))
        resampler = av.AudioResampler("s16", "stereo", SAMPLE_HZ)
        frames = [each for frame in container.decode(stream) for each in resampler.resample(frame)]
    audio = np.concatenate([frame.to_ndarray() for frame in frames], axis=1).reshape(-1, 2)
    assert len(audio) == pytest.approx(len(recorded.audio), abs=SAMPLE_HZ // 10)
    assert len(recorded.ogg) < len(recorded.audio)
    assert "emma wilson" in heard_in(recogniser, audio[:, LEFT])
    assert "book an appointment" not in heard_in(recogniser, audio[:, RIGHT])


async def test_a_player_may_seek(recorded: Recorded) -> None:
    signed = recorded.recording["metadata"]["stereo_mix"]["signed_url"]
    async with httpx2.AsyncClient() as http:
        part = await http.get(signed, headers={"Range": "bytes=44-1043"})
    assert part.status_code == 206
    assert part.content == recorded.audio.tobytes()[:1000]


async def test_a_caller_who_refuses_is_not_recorded_and_talks_on(
    switchboard: LiveSwitchboard,
) -> None:
    conversation = RuleFollower(
        [
            Rule(when_heard=("how can i help",), say=LINES[0]),
            Rule(when_heard=("our clinic before",), say="Please do not record this call."),
            Rule(when_heard=("not being recorded",), say=LINES[2], leave=True),
        ]
    )
    speech = await prepare_speech(conversation.lines())
    async with switchboard.api() as api:
        agent_id = await recorded_agent(api, switchboard.account.agent_id, require_consent=True)
        summary = await call_agent(
            api, agent_id, conversation, speech, lambda _: None, asyncio.Event()
        )
        call = await ended_call(api, summary.call_id)
        said = [each["text"].lower() for each in call["transcript"]["segments"]]
        assert any("is not being recorded" in text for text in said), said
        with pytest.raises(ApiError, match="recorded"):
            await api.request("GET", f"/v1/calls/{summary.call_id}/recording")
    confirmed = next(at for at, text in enumerate(said) if "is not being recorded" in text)
    assert any("record this call" in text for text in said[:confirmed]), said
    assert any("wilson" in text for text in said[confirmed:]), said
    stored = switchboard.data_dir.glob(f"objects/recordings/*/{summary.call_id}/**/*.*")
    assert list(stored) == []


async def test_a_killed_worker_leaves_what_it_had_recorded(
    own_switchboard: LiveSwitchboard,
) -> None:
    conversation = LineByLine(LINES)
    speech = await prepare_speech(conversation.lines())
    async with own_switchboard.api() as api:
        agent_id = await recorded_agent(
            api, own_switchboard.account.agent_id, require_consent=False
        )
        call = RunningCall()
        call.caller = asyncio.create_task(
            call_agent(api, agent_id, conversation, speech, call.report, call.leave)
        )
        try:
            await call.after_turns(2)
            connected_ms = 1000 * (time.monotonic() - call.connected_at)
            kept_ms = max(await stored_parts(own_switchboard)) + PART_MS
            os.kill(own_switchboard.pid("worker-1"), signal.SIGKILL)
            ended = await ended_call(api, call.call_id)
            # The files are made when the call is over, and again when the worker's successor has
            # said that nothing will follow; then the parts go.
            await until(lambda: stored_parts(own_switchboard), lambda left: not left, 60)
            recording = await finished_recording(api, call.call_id)
            record = await api.request("GET", f"/v1/calls/{call.call_id}")
        finally:
            call.leave.set()
            call.caller.cancel()
            await asyncio.gather(call.caller, return_exceptions=True)
    assert ended["end_reason"] == "worker_error"
    audio = samples_of(await downloaded(recording))
    assert kept_ms >= connected_ms - PART_MS - STORED_WITHIN_MS
    kept = audio[: kept_ms * SAMPLE_HZ // 1000]
    assert "how can i help" in heard_in(Recogniser(), kept[:, RIGHT])
    assert "The media worker died" in recording["metadata"]["detail"]
    used = {each["channel"]: each for each in record["usage"]}
    assert set(used) == {"stt", "llm", "tts"}, "the usage of the turns before died with the worker"
    assert used["tts"]["characters"] > len("how can i help")
