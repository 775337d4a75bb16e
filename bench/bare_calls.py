"""The process of ``bench.versus`` that runs livekit-agents by itself: no code of ours but callers.

Each call is an ``AgentSession`` as its documentation builds one: the vendors' plugins, voice
activity and end of turn detection with their defaults. It hears 50 ms at a time, as from a LiveKit
room, but at 16 kHz: at the 24 kHz of a room three native resamplers take a fifth of its loop.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from multiprocessing.connection import Connection

import aiohttp
import numpy as np
from livekit import rtc
from livekit.agents import (
    Agent,
    AgentSession,
    CloseEvent,
    ErrorEvent,
    TurnHandlingOptions,
    inference,
)
from livekit.agents.voice.io import AudioInput, AudioOutput, AudioOutputCapabilities
from livekit.agents.voice.transcription import TranscriptSynchronizer
from livekit.plugins import deepgram, elevenlabs, openai

from bench.measured_calls import OPENER, Measured, Order, measure_calls
from bench.memory_caller import MemoryCaller, Noticed, Samples
from bench.memory_leg import SoundQueue, connect
from bench.vendors.vendors_process import STACK

HEARD_HZ = 16_000
_PLAYED_HZ = 24_000
_HEARD_SAMPLES = HEARD_HZ // 20
_KEY = "bench"


def bare_process(pipe: Connection) -> None:
    logging.getLogger("livekit").setLevel(logging.ERROR)
    pipe.send(asyncio.run(_measure(pipe.recv(), in_step=False)))


def bare_in_step_process(pipe: Connection) -> None:
    """With the transcript in step with the voice, as ``AgentSession`` has it in a room."""
    logging.getLogger("livekit").setLevel(logging.ERROR)
    pipe.send(asyncio.run(_measure(pipe.recv(), in_step=True)))


async def _measure(order: Order, *, in_step: bool) -> Measured:
    measured, noticed = Measured(), Noticed()
    async with aiohttp.ClientSession() as http:

        @asynccontextmanager
        async def call(number: int) -> AsyncIterator[None]:
            caller = MemoryCaller(
                number, order.lines, noticed, read_hz=HEARD_HZ, write_hz=_PLAYED_HZ
            )
            session = build_session(order.base_urls, http)

            def on_trouble(event: ErrorEvent | CloseEvent) -> None:
                if noticed.is_measured:
                    measured.failures.append(str(event.error))

            session.on("error", on_trouble)
            session.on("close", on_trouble)
            async with conversation(session, caller, order.prompt, in_step=in_step):
                yield

        await measure_calls(order, call, noticed, measured)
    return measured


def build_session(base_urls: dict[str, str], http: aiohttp.ClientSession) -> AgentSession[None]:
    return AgentSession(
        stt=deepgram.STT(
            model=STACK.stt.primary.model,
            api_key=_KEY,
            base_url=f"{base_urls['deepgram']}/listen",
            http_session=http,
        ),
        llm=openai.LLM(model=STACK.llm.primary.model, api_key=_KEY, base_url=base_urls["openai"]),
        tts=elevenlabs.TTS(
            model=STACK.tts.primary.model,
            voice_id=str(STACK.tts.primary.voice),
            api_key=_KEY,
            base_url=base_urls["elevenlabs"],
            encoding="pcm_24000",
            http_session=http,
        ),
        vad=inference.VAD(),
        turn_handling=TurnHandlingOptions(turn_detection=inference.TurnDetector(version="v1-mini")),
    )


@asynccontextmanager
async def conversation(
    session: AgentSession[None], caller: MemoryCaller, prompt: str, *, in_step: bool
) -> AsyncIterator[None]:
    ear, voice = _Ear(), _Voice()
    session.input.audio, session.output.audio = ear, voice
    if in_step:
        synchronizer = TranscriptSynchronizer(next_in_chain_audio=voice, next_in_chain_text=None)
        session.output.audio = synchronizer.audio_output
        session.output.transcription = synchronizer.text_output
    await session.start(Agent(instructions=prompt), record=False)
    leg = asyncio.create_task(connect(caller, ear.hear, voice.play))
    session.say(OPENER)
    try:
        yield
    finally:
        leg.cancel()
        await asyncio.wait([leg])
        await session.aclose()


class _Ear(AudioInput):
    def __init__(self) -> None:
        super().__init__(label="caller in memory")
        self._rest: Samples = np.empty(0, np.int16)
        self._frames = asyncio.Queue[rtc.AudioFrame]()

    async def hear(self, samples: Samples) -> None:
        heard = np.concatenate((self._rest, samples))
        while heard.size >= _HEARD_SAMPLES:
            frame, heard = heard[:_HEARD_SAMPLES], heard[_HEARD_SAMPLES:]
            self._frames.put_nowait(rtc.AudioFrame(frame.tobytes(), HEARD_HZ, 1, frame.size))
        self._rest = heard

    async def __anext__(self) -> rtc.AudioFrame:
        return await self._frames.get()


class _Voice(AudioOutput):
    def __init__(self) -> None:
        super().__init__(
            label="caller in memory",
            capabilities=AudioOutputCapabilities(pause=True),
            sample_rate=_PLAYED_HZ,
        )
        self._queue = SoundQueue(_PLAYED_HZ)
        self._played_samples = 0
        self._is_flushed = False
        self._is_capturing = False

    def play(self) -> Samples:
        frame, samples = self._queue.pull()
        if samples and not self._played_samples:
            self.on_playback_started(created_at=time.time())
        self._played_samples += samples
        if self._is_flushed and not self._queue:
            self._finish(interrupted=False)
        return frame

    async def capture_frame(self, frame: rtc.AudioFrame) -> None:
        await super().capture_frame(frame)
        self._is_capturing = True
        self._queue.push(np.frombuffer(frame.data, np.int16))

    def flush(self) -> None:
        super().flush()
        self._is_flushed = self._is_capturing

    def clear_buffer(self) -> None:
        self._queue.clear()
        if self._is_capturing:
            self._finish(interrupted=True)

    def pause(self) -> None:
        super().pause()
        self._queue.is_paused = True

    def resume(self) -> None:
        super().resume()
        self._queue.is_paused = False

    def _finish(self, *, interrupted: bool) -> None:
        position = self._played_samples / _PLAYED_HZ
        self._played_samples, self._is_flushed, self._is_capturing = 0, False, False
        self.on_playback_finished(playback_position=position, interrupted=interrupted)
