"""The process of ``bench.versus`` that runs Pipecat, in an environment that has no Switchboard.

Each call is a pipeline as Pipecat's quickstart builds one: its services for Deepgram, OpenAI and
ElevenLabs, Silero voice activity, and the default strategies of a turn (Smart Turn v3). Metrics,
observers and RTVI are off. Reads an order as one line of JSON, writes what it measured as another.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from pipecat.audio.vad.silero import SileroVADAnalyzer
from pipecat.frames.frames import (
    ErrorFrame,
    InputAudioRawFrame,
    OutputAudioRawFrame,
    StartFrame,
    TTSSpeakFrame,
)
from pipecat.pipeline.pipeline import Pipeline
from pipecat.pipeline.worker import PipelineWorker
from pipecat.processors.aggregators.llm_context import LLMContext
from pipecat.processors.aggregators.llm_response_universal import (
    LLMContextAggregatorPair,
    LLMUserAggregatorParams,
)
from pipecat.services.deepgram.stt import DeepgramSTTService
from pipecat.services.elevenlabs.tts import ElevenLabsTTSService
from pipecat.services.openai.llm import OpenAILLMService
from pipecat.transports.base_input import BaseInputTransport
from pipecat.transports.base_output import BaseOutputTransport
from pipecat.transports.base_transport import TransportParams
from pipecat.turns.user_turn_strategies import UserTurnStrategies
from pipecat.workers.runner import WorkerRunner

from bench.measured_calls import OPENER, Measured, Order, measure_calls
from bench.memory_caller import MemoryCaller, Noticed, Samples
from bench.memory_leg import SoundQueue, connect

_HEARD_HZ = 16_000
_PLAYED_HZ = 24_000
"""Pipecat's defaults."""
_KEY = "bench"


class _Ear(BaseInputTransport):
    async def start(self, frame: StartFrame) -> None:
        await super().start(frame)
        await self.set_transport_ready(frame)

    async def hear(self, samples: Samples) -> None:
        await self.push_audio_frame(InputAudioRawFrame(samples.tobytes(), _HEARD_HZ, 1))


class _Voice(BaseOutputTransport):
    """Takes the next piece when the one before was played, like Pipecat's own WebRTC track."""

    def __init__(self, params: TransportParams) -> None:
        super().__init__(params)
        self._queue = SoundQueue(_PLAYED_HZ)
        self._played = asyncio.Event()

    async def start(self, frame: StartFrame) -> None:
        await super().start(frame)
        await self.set_transport_ready(frame)

    async def write_audio_frame(self, frame: OutputAudioRawFrame) -> bool:
        self._queue.push(np.frombuffer(frame.audio, np.int16))
        self._played.clear()
        await self._played.wait()
        return True

    def play(self) -> Samples:
        frame, _ = self._queue.pull()
        if not self._queue:
            self._played.set()
        return frame


@asynccontextmanager
async def _conversation(
    order: dict[str, Any], caller: MemoryCaller, noticed: Noticed, measured: Measured
) -> AsyncIterator[None]:
    addresses = order["base_urls"]
    params = TransportParams(audio_in_enabled=True, audio_out_enabled=True)
    ear, voice = _Ear(params), _Voice(params)
    stt = DeepgramSTTService(
        api_key=_KEY,
        base_url=addresses["deepgram"],
        settings=DeepgramSTTService.Settings(model=order["stt_model"]),
    )
    llm = OpenAILLMService(
        api_key=_KEY,
        base_url=addresses["openai"],
        settings=OpenAILLMService.Settings(
            model=order["llm_model"], system_instruction=order["prompt"]
        ),
    )
    tts = ElevenLabsTTSService(
        api_key=_KEY,
        url=addresses["elevenlabs"].replace("http:", "ws:"),
        settings=ElevenLabsTTSService.Settings(model=order["tts_model"], voice=order["voice"]),
    )
    aggregators = LLMContextAggregatorPair(
        LLMContext(),
        user_params=LLMUserAggregatorParams(
            vad_analyzer=SileroVADAnalyzer(), user_turn_strategies=UserTurnStrategies()
        ),
    )
    pipeline = Pipeline([ear, stt, aggregators.user(), llm, tts, voice, aggregators.assistant()])
    worker = PipelineWorker(pipeline, enable_rtvi=False, enable_turn_tracking=False)

    @worker.event_handler("on_pipeline_error")
    async def on_pipeline_error(_: PipelineWorker, frame: ErrorFrame) -> None:
        if noticed.is_measured:
            measured.failures.append(frame.error)

    started = asyncio.Event()

    @worker.event_handler("on_pipeline_started")
    async def on_pipeline_started(*_: object) -> None:
        started.set()

    runner = WorkerRunner(handle_sigint=False)
    await runner.add_workers(worker)
    running = asyncio.create_task(runner.run())
    await started.wait()
    leg = asyncio.create_task(connect(caller, ear.hear, voice.play))
    await worker.queue_frame(TTSSpeakFrame(OPENER))
    try:
        yield
    finally:
        await runner.cancel()
        leg.cancel()
        await asyncio.wait([running, leg])


async def _measure(asked: dict[str, Any], lines: Sequence[Samples]) -> Measured:
    measured, noticed = Measured(), Noticed()
    order = Order(asked["calls"], asked["seconds"], asked["base_urls"], lines, asked["prompt"])

    def call(number: int) -> Any:
        caller = MemoryCaller(number, lines, noticed, read_hz=_HEARD_HZ, write_hz=_PLAYED_HZ)
        return _conversation(asked, caller, noticed, measured)

    await measure_calls(order, call, noticed, measured)
    return measured


def main() -> None:
    asked = json.loads(sys.stdin.readline())
    lines = [np.frombuffer(Path(path).read_bytes(), np.int16) for path in asked["lines"]]
    measured = asyncio.run(_measure(asked, lines))
    print(json.dumps(asdict(measured)))


if __name__ == "__main__":
    main()
