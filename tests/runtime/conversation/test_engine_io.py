"""The engine's contract, segment by segment; ``play`` is the room's clock."""

import asyncio
import logging
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import cast

import numpy as np
import pytest
from livekit import rtc
from livekit.agents import Agent, AgentSession
from livekit.agents.llm import ChatMessage
from livekit.agents.voice.io import PlaybackFinishedEvent, PlaybackStartedEvent, TextOutput
from livekit.agents.voice.transcription import TranscriptSynchronizer

from runtime.conversation import engine_io
from runtime.conversation.engine_io import RoomAudioInput, RoomAudioOutput
from runtime.link.closable_queue import ClosableQueue
from runtime.media.audio.paced_output import PacedOutput
from runtime.media.room import Room, Samples
from runtime.media.room_clock import MonotonicClock, ticks
from tests.runtime.until import until


@dataclass
class VoiceOnlyRoom:
    name: str = "test"
    voice: PacedOutput = field(default_factory=PacedOutput)
    frames: ClosableQueue[Samples] = field(default_factory=ClosableQueue)

    def listen(self) -> ClosableQueue[Samples]:
        return self.frames

    async def play(self, seconds: float) -> None:
        for _ in range(round(seconds * 50)):
            self.voice.pull()
            await asyncio.sleep(0)


class Reports(list[str | float]):
    """What the engine is told, in order: "started", then the position, negative if interrupted."""

    def __init__(self, output: RoomAudioOutput) -> None:
        super().__init__()
        output.on("playback_started", self._started)
        output.on("playback_finished", self._finished)

    def _started(self, _: PlaybackStartedEvent) -> None:
        self.append("started")

    def _finished(self, event: PlaybackFinishedEvent) -> None:
        self.append(-event.playback_position if event.interrupted else event.playback_position)


@pytest.fixture
def room() -> VoiceOnlyRoom:
    return VoiceOnlyRoom()


@pytest.fixture
async def output(room: VoiceOnlyRoom) -> RoomAudioOutput:
    return RoomAudioOutput(cast(Room, room))


@pytest.fixture
async def reports(output: RoomAudioOutput) -> Reports:
    return Reports(output)


def audio(seconds: float, channels: int = 1) -> rtc.AudioFrame:
    samples = round(24_000 * seconds)
    data = np.ones(samples * channels, np.int16).tobytes()
    return rtc.AudioFrame(data, 24_000, channels, samples)


async def test_a_segment_starts_with_its_first_sample_and_finishes_with_its_last(
    room: VoiceOnlyRoom, output: RoomAudioOutput, reports: Reports
) -> None:
    for _ in range(10):
        await output.capture_frame(audio(0.05))
    output.flush()
    await asyncio.sleep(0)
    assert reports == []
    await room.play(0.02)
    assert reports == ["started"]
    await room.play(0.46)
    assert reports == ["started"]
    await room.play(0.02)
    assert reports == ["started", 0.5]
    await room.play(1.0)
    assert reports == ["started", 0.5]
    finished = await asyncio.wait_for(output.wait_for_playout(), 1)
    assert (finished.playback_position, finished.interrupted) == (0.5, False)


async def test_a_voice_that_trails_off_was_audible_until_its_last_sound(
    room: VoiceOnlyRoom, output: RoomAudioOutput, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 100.0
    monkeypatch.setattr(engine_io.time, "time", lambda: now)
    sound, silence = (np.full(24_000 // 100, level, np.int16) for level in (3000, 20))
    for samples in [sound] * 9 + [silence] * 40:
        await output.capture_frame(rtc.AudioFrame(samples.tobytes(), 24_000, 1, samples.size))
    output.flush()
    assert output.audible_until is None
    for _ in range(30):
        await room.play(0.02)
        now += 0.02
    assert output.audible_until == pytest.approx(100.09)


async def test_flush_with_nothing_captured_does_nothing(
    room: VoiceOnlyRoom, output: RoomAudioOutput, reports: Reports
) -> None:
    output.flush()
    output.flush()
    await room.play(0.1)
    assert reports == []
    await asyncio.wait_for(output.wait_for_playout(), 1)


async def test_speech_slower_than_real_time_is_one_segment(
    room: VoiceOnlyRoom, output: RoomAudioOutput, reports: Reports
) -> None:
    await output.capture_frame(audio(0.1))
    await room.play(0.5)
    await output.capture_frame(audio(0.1))
    await room.play(0.5)
    assert reports == ["started"]
    output.flush()
    await asyncio.sleep(0)
    assert reports == ["started", 0.2]


async def test_an_interruption_reports_exactly_what_was_heard(
    room: VoiceOnlyRoom, output: RoomAudioOutput, reports: Reports
) -> None:
    await output.capture_frame(audio(5.0))
    output.flush()
    await room.play(1.24)
    output.clear_buffer()
    output.clear_buffer()
    assert not room.voice.pull().any()
    finished = await asyncio.wait_for(output.wait_for_playout(), 1)
    assert (finished.playback_position, finished.interrupted) == (1.24, True)
    await room.play(1.0)
    assert reports == ["started", -1.24]


async def test_an_interruption_while_the_reply_is_still_made_finishes_with_its_flush(
    room: VoiceOnlyRoom, output: RoomAudioOutput, reports: Reports
) -> None:
    await output.capture_frame(audio(1.0))
    await room.play(0.2)
    output.clear_buffer()
    await output.capture_frame(audio(1.0))
    await room.play(0.2)
    assert reports == ["started"]
    output.flush()
    await asyncio.sleep(0)
    assert reports == ["started", -0.2]


async def test_a_reply_cleared_before_it_was_heard_never_starts_and_finishes_at_zero(
    room: VoiceOnlyRoom, output: RoomAudioOutput, reports: Reports
) -> None:
    await output.capture_frame(audio(1.0))
    output.flush()
    output.clear_buffer()
    await room.play(0.1)
    assert reports == [0.0]
    assert (await asyncio.wait_for(output.wait_for_playout(), 1)).interrupted


async def test_clear_with_nothing_captured_does_nothing(
    room: VoiceOnlyRoom, output: RoomAudioOutput, reports: Reports
) -> None:
    output.clear_buffer()
    await room.play(0.1)
    assert reports == []


async def test_segments_follow_each_other_each_with_its_own_reports(
    room: VoiceOnlyRoom, output: RoomAudioOutput, reports: Reports
) -> None:
    for seconds in (0.03, 0.05):
        await output.capture_frame(audio(seconds))
        output.flush()
    await room.play(0.2)
    assert reports == ["started", 0.03, "started", 0.05]
    await output.capture_frame(audio(0.1))
    output.flush()
    await room.play(0.2)
    assert reports[4:] == ["started", 0.1]


async def test_pause_holds_the_segment_and_resume_goes_on_without_a_second_start(
    room: VoiceOnlyRoom, output: RoomAudioOutput, reports: Reports
) -> None:
    assert output.can_pause
    await output.capture_frame(audio(0.4))
    output.flush()
    await room.play(0.2)
    for _ in range(5):
        output.pause()
    await room.play(3.0)
    assert reports == ["started"]
    output.resume()
    output.resume()
    await room.play(0.2)
    assert reports == ["started", 0.4]


async def test_a_segment_captured_while_paused_starts_with_resume(
    room: VoiceOnlyRoom, output: RoomAudioOutput, reports: Reports
) -> None:
    output.pause()
    await output.capture_frame(audio(0.1))
    output.flush()
    await room.play(0.5)
    assert reports == []
    output.resume()
    await room.play(0.1)
    assert reports == ["started", 0.1]


async def test_an_interruption_while_paused_counts_only_what_was_heard(
    room: VoiceOnlyRoom, output: RoomAudioOutput, reports: Reports
) -> None:
    await output.capture_frame(audio(1.0))
    output.flush()
    await room.play(0.3)
    output.pause()
    await room.play(2.0)
    output.clear_buffer()
    output.resume()
    await asyncio.sleep(0)
    assert reports == ["started", -0.3]


async def test_stereo_speech_is_mixed_down(room: VoiceOnlyRoom, output: RoomAudioOutput) -> None:
    await output.capture_frame(audio(0.1, channels=2))
    assert room.voice.queued_seconds == 0.1


class Text(TextOutput):
    def __init__(self) -> None:
        super().__init__(label="text", next_in_chain=None)
        self.said = ""

    async def capture_text(self, text: str) -> None:
        self.said += text

    def flush(self) -> None:
        pass


@pytest.mark.parametrize("interrupted", [False, True])
async def test_the_engines_transcript_synchroniser_is_content_with_the_reports(
    room: VoiceOnlyRoom,
    output: RoomAudioOutput,
    caplog: pytest.LogCaptureFixture,
    interrupted: bool,
) -> None:
    """It logs a warning for every report that comes at the wrong moment."""
    caplog.set_level(logging.WARNING)
    synchroniser = TranscriptSynchronizer(next_in_chain_audio=output, next_in_chain_text=Text())
    chain = synchroniser.audio_output
    chain.on_attached()
    synchroniser.text_output.on_attached()
    for _ in range(3):
        await synchroniser.text_output.capture_text("Good morning, how can I help you today?")
        await chain.capture_frame(audio(0.4))
        if interrupted:
            await room.play(0.2)
        else:
            await room.play(1.0)
        synchroniser.text_output.flush()
        chain.flush()
        if interrupted:
            chain.clear_buffer()
        finished = await asyncio.wait_for(chain.wait_for_playout(), 1)
        assert finished.interrupted == interrupted
        assert finished.playback_position == (0.2 if interrupted else 0.4)
    await synchroniser.aclose()
    assert caplog.records == []


async def test_the_input_is_the_rooms_mix_and_ends_with_the_room(room: VoiceOnlyRoom) -> None:
    def heard() -> AsyncIterator[rtc.AudioFrame]:
        return RoomAudioInput(cast(Room, room))

    room.frames.put(np.arange(320, dtype=np.int16))
    room.frames.close()
    (frame,) = [frame async for frame in heard()]
    assert (frame.sample_rate, frame.num_channels, frame.samples_per_channel) == (16_000, 1, 320)
    assert list(frame.data) == list(range(320))


async def test_the_input_survives_a_reader_that_is_cancelled(room: VoiceOnlyRoom) -> None:
    heard = RoomAudioInput(cast(Room, room))
    reader = asyncio.create_task(anext(heard))
    await asyncio.sleep(0)
    reader.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reader
    room.frames.put(np.zeros(320, np.int16))
    assert (await anext(heard)).samples_per_channel == 320


async def test_an_engine_that_does_not_listen_hears_silence_and_no_word_of_it_later(
    room: VoiceOnlyRoom,
) -> None:
    session: AgentSession[None] = AgentSession(turn_handling={"turn_detection": "manual"})
    session.input.audio = heard = RoomAudioInput(cast(Room, room))
    loud = []
    for listens in (True, False, False, True):
        session.input.set_audio_enabled(listens)
        room.frames.put(np.full(320, 1_000, np.int16))
        loud.append(any((await anext(heard)).data))
    assert loud == [True, False, False, True]
    await session.aclose()


async def speech(seconds: float) -> AsyncIterator[rtc.AudioFrame]:
    for _ in range(round(seconds * 20)):
        yield audio(0.05)


async def test_the_real_engine_speaks_is_interrupted_and_speaks_again(
    room: VoiceOnlyRoom, output: RoomAudioOutput, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    shown = Text()
    synchroniser = TranscriptSynchronizer(next_in_chain_audio=output, next_in_chain_text=shown)
    session: AgentSession[None] = AgentSession(turn_handling={"turn_detection": "manual"})
    session.input.audio = RoomAudioInput(cast(Room, room))
    session.output.audio = synchroniser.audio_output
    session.output.transcription = synchroniser.text_output

    async def pulse() -> None:
        async for _ in ticks(MonotonicClock()):
            room.voice.pull()

    clock = asyncio.create_task(pulse())
    await session.start(Agent(instructions="none"), record=False)

    await asyncio.wait_for(session.say("Good morning.", audio=speech(0.2)).wait_for_playout(), 5)
    assert shown.said == "Good morning."

    long_reply = session.say("One two three four five six seven eight.", audio=speech(2.4))
    await until(lambda: "One two" in shown.said)
    await session.interrupt(force=True)
    assert room.voice.queued_seconds == 0
    await asyncio.wait_for(long_reply.wait_for_playout(), 5)
    spoken = session.history.items[-1]
    assert isinstance(spoken, ChatMessage)
    assert spoken.interrupted
    assert len(spoken.text_content or "") < 30

    await asyncio.wait_for(session.say("Again.", audio=speech(0.2)).wait_for_playout(), 5)
    await session.aclose()
    await synchroniser.aclose()
    clock.cancel()
    assert caplog.records == []
