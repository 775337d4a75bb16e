"""The conversation engine (livekit-agents) in one room."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import numpy as np
import structlog
from livekit import rtc
from livekit.agents import AgentSession
from livekit.agents.voice.transcription import TranscriptSynchronizer

from contracts.call_plan import CallPlan
from pipelines.engine.call_actions import CallActions
from pipelines.engine.providers.spec import ProviderUnavailable
from pipelines.engine.session import build_session
from pipelines.texts.utterance import utterances
from runtime.call.end_cause import ProvidersFailed, SessionNotBuilt, SessionNotStarted
from runtime.conversation.conversation import CallRecord
from runtime.conversation.engine_io import RoomAudioInput, RoomAudioOutput
from runtime.conversation.session_observer import SessionObserver
from runtime.conversation.speaking_rate import weigh_by_loudness
from runtime.media.room import ENGINE_OUTPUT_HZ, Room, Samples

if TYPE_CHECKING:
    from pipelines.engine.shared_models import WarmModels

logger = structlog.get_logger(__name__)

APOLOGY_SECONDS = 6.0
"""How long a voice has to synthesise an apology after a failure."""


class EngineConversation:
    """Implements ``Conversation``.

    Raises:
        ProvidersFailed: the plan names a model that this process cannot run.
        SessionNotBuilt: the parts of the plan do not fit together.
    """

    def __init__(
        self,
        plan: CallPlan,
        room: Room,
        actions: CallActions,
        record: CallRecord,
        models: WarmModels,
    ) -> None:
        self._room = room
        try:
            self._parts = build_session(plan, models, actions)
        except ProviderUnavailable as error:
            raise ProvidersFailed(str(error)) from error
        except Exception as error:
            raise SessionNotBuilt(f"{type(error).__name__}: {error}") from error
        self._session: AgentSession[Any] = self._parts.session
        self._output = RoomAudioOutput(room)
        self._observer = SessionObserver(
            self._session,
            record,
            keep_transcript=plan.agent.features.transcription_enabled,
            hide_keys=plan.asks_for_secrets,
            agent_audible_until=lambda: self._output.audible_until,
            tool_duration_ms=self._parts.agents.tool_duration_ms,
            usage=self._parts.agents.usage.reports,
        )
        self._synchronizer = TranscriptSynchronizer(
            next_in_chain_audio=self._output,
            next_in_chain_text=self._observer.live_text(),
        )
        weigh_by_loudness(self._synchronizer)
        self._closed = False

    async def start(self) -> None:
        self._session.input.audio = RoomAudioInput(self._room)
        self._session.output.audio = self._synchronizer.audio_output
        self._session.output.transcription = self._synchronizer.text_output
        self._observer.attach()
        try:
            await self._parts.start()
        except Exception as error:
            raise SessionNotStarted(f"{type(error).__name__}: {error}") from error

    async def prepare(self, announcement: str | None) -> None:
        await self._parts.prepare(announcement)

    async def greet(self) -> None:
        await self._parts.greet()

    async def say(self, text: str, *, interruptible: bool) -> None:
        speech = await self._parts.say(text, interruptible=interruptible)
        await speech.wait_for_playout()

    async def announce(self, text: str) -> bool:
        played_before = self._output.played_samples
        speech = await self._parts.say(text, interruptible=False)
        await speech.wait_for_playout()
        return (
            speech.exception() is None
            and not speech.interrupted
            and self._output.played_samples > played_before
        )

    async def keys_pressed(self, digits: str) -> None:
        await self._parts.keys_pressed(digits)

    def stop_listening(self) -> None:
        self._session.input.set_audio_enabled(False)

    def listen_again(self) -> None:
        if not self._closed:
            self._session.input.set_audio_enabled(True)

    async def stop_speaking(self) -> None:
        if self._session.current_speech is not None:
            await self._session.interrupt(force=True)

    async def finish_speaking(self) -> bool:
        while (speech := self._session.current_speech) is not None and not speech.done():
            if not speech.interrupted:
                speech.allow_interruptions = False
            await speech.wait_for_playout()
        messages = self._session.history.messages()
        return bool(messages) and messages[-1].role == "assistant"

    def pause(self) -> None:
        # The room holds the voice by itself. This also stops the transcript, which would run ahead.
        if not self._closed:
            self._synchronizer.audio_output.pause()

    def resume(self) -> None:
        if not self._closed:
            self._synchronizer.audio_output.resume()

    async def apologise(self, text: str) -> None:
        voice = self._parts.tts
        sentence, *_ = utterances(text) or [""]
        try:
            async with asyncio.timeout(APOLOGY_SECONDS):
                frame = await voice.synthesize(sentence).collect()
        except Exception:
            logger.exception("conversation.no_voice_left")
            frame = voice.recorded_words()
        for part in at_room_rate(frame):
            self._room.voice.push(part)

    async def aclose(self) -> None:
        if self._closed:
            return
        self._closed = True
        self._observer.expect_close()
        self._parts.agents.call_ended()
        try:
            await self._session.aclose()
            await self._synchronizer.aclose()
        finally:
            self._observer.finish()
            await self._parts.aclose()


def at_room_rate(frame: rtc.AudioFrame) -> list[Samples]:
    """The sound of ``frame`` in pieces of ``ENGINE_OUTPUT_HZ``."""
    frames = [frame]
    if frame.sample_rate != ENGINE_OUTPUT_HZ:
        resampler = rtc.AudioResampler(frame.sample_rate, ENGINE_OUTPUT_HZ)
        frames = [*resampler.push(frame), *resampler.flush()]
    return [np.frombuffer(each.data, dtype=np.int16) for each in frames]
