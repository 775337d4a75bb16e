"""A carrier plays late and tells so with its marks: what was not heard was not said."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest
from livekit import rtc
from livekit.agents import Agent, AgentSession
from livekit.agents.llm import ChatMessage
from livekit.agents.voice.transcription import TranscriptSynchronizer

from runtime.conversation.engine_io import RoomAudioOutput
from runtime.conversation.speaking_rate import weigh_by_loudness
from runtime.media.room import LegConnected
from tests.runtime.media.loopback_peer import tone
from tests.runtime.until import until
from tests.telephony_bridge.conftest import WorkerEnd
from tests.telephony_bridge.twilio_line import MediaSocket, TwilioLine, token_in

HELD_MS = 700
WORDS = 20
WORD_SECONDS = 0.2
NEAR_SECONDS = 0.2
"""Much less than the carrier holds: ticks of three clocks, and this machine's load."""
UNCOUNTED_SECONDS = 0.6
"""The engine counts a word once it is over, and is one or two words late."""


async def _speech() -> AsyncIterator[rtc.AudioFrame]:
    sound = tone(500, 24_000, WORDS * WORD_SECONDS)
    for begin in range(0, sound.size, 1_200):
        part = sound[begin : begin + 1_200]
        yield rtc.AudioFrame(part.tobytes(), 24_000, 1, part.size)


class Speaker:
    """An engine's session whose only output is the room."""

    def __init__(self, worker: WorkerEnd) -> None:
        self.output = RoomAudioOutput(worker.room)
        self._synchronizer = TranscriptSynchronizer(
            next_in_chain_audio=self.output, next_in_chain_text=None
        )
        weigh_by_loudness(self._synchronizer)
        self.session: AgentSession[None] = AgentSession(turn_handling={"turn_detection": "manual"})
        self.session.output.audio = self._synchronizer.audio_output
        self.session.output.transcription = self._synchronizer.text_output

    async def __aenter__(self) -> Speaker:
        await self.session.start(Agent(instructions="none"), record=False)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.session.aclose()
        await self._synchronizer.aclose()

    def say(self) -> None:
        self.session.say("one " * WORDS, audio=_speech())

    async def words_kept(self) -> int:
        """Of the interrupted sentence, in the history that the model gets."""
        await self.session.interrupt(force=True)
        await until(lambda: self.session.history.items)
        spoken = self.session.history.items[-1]
        assert isinstance(spoken, ChatMessage)
        assert spoken.interrupted
        return len((spoken.text_content or "").split())


async def _settled(worker: WorkerEnd, socket: MediaSocket) -> None:
    """The carrier plays, and has returned marks."""
    assert isinstance(await anext(worker.room.events()), LegConnected)
    (leg,) = worker.room._legs.values()
    await until(lambda: leg.unheard_frames * 20 >= HELD_MS - 100)


async def test_an_interrupted_sentence_ends_at_the_words_that_the_phone_has_played(
    line: TwilioLine, worker: WorkerEnd
) -> None:
    token = token_in(await line.call_in())
    async with line.media(token, held_ms=HELD_MS) as socket, Speaker(worker) as speaker:
        await _settled(worker, socket)
        speaker.say()
        await until(lambda: socket.played_ms >= 1_600)
        heard = socket.played_ms / 1000
        words = await speaker.words_kept()
        # The phone plays on until the interruption has reached its carrier.
        heard_then = socket.played_ms / 1000
        assert heard - UNCOUNTED_SECONDS <= words * WORD_SECONDS <= heard_then + NEAR_SECONDS / 2
        said = speaker.output.played_samples / 24_000
        assert heard - NEAR_SECONDS <= said <= heard_then + NEAR_SECONDS


async def test_a_pause_silences_the_phone_at_once_and_nothing_is_lost_of_the_sentence(
    line: TwilioLine, worker: WorkerEnd
) -> None:
    token = token_in(await line.call_in())
    async with line.media(token, held_ms=HELD_MS) as socket, Speaker(worker) as speaker:
        await _settled(worker, socket)
        speaker.say()
        await until(lambda: socket.played_ms >= 1_000)
        speaker.session.output.audio.pause()  # type: ignore[union-attr]
        paused_at = socket.played_ms
        await asyncio.sleep(HELD_MS / 1000)
        assert socket.played_ms - paused_at < 200, "the carrier plays on what it holds"
        speaker.session.output.audio.resume()  # type: ignore[union-attr]
        await until(lambda: speaker.session.current_speech is None)
        whole = WORDS * WORD_SECONDS
        assert socket.played_ms / 1000 == pytest.approx(whole, abs=2 * NEAR_SECONDS)
