"""The engine's end-of-turn detector, asking the model that all calls share.

The engine's own detector loads the model into each process that asks it. Everything that we use of
the engine's private parts for this stands here: ``_BaseStreamingTurnDetectorStream`` with its
``_resolve_prediction`` and ``_drain_audio_channel``, the methods of
``_StreamingTurnDetectionTransport``, and ``TurnDetector._opts``.
``tests/pipelines/engine/test_turn_detector.py`` fails with the name when an upgrade changes one.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from typing import Final

import numpy as np
import structlog
from livekit import rtc
from livekit.agents import APIConnectOptions, inference
from livekit.agents.inference.eot.base import _BaseStreamingTurnDetectorStream
from livekit.agents.types import DEFAULT_API_CONNECT_OPTIONS

from pipelines.engine.providers.local.speech_models import (
    EndOfTurn,
    ModelError,
    Samples,
)

log = structlog.get_logger(__name__)

_VERSION: Final = "v1-mini"
"""The one that runs on this machine."""
_WINDOW_SAMPLES = 19_200
"""1.2 s: what the model looks at."""
_NOTHING: Samples = np.empty(0, np.int16)
_UNKNOWN = 0.0
"""The engine's own answer without a prediction: the turn may go on, so it waits longer."""


class TurnDetector(inference.TurnDetector):
    def __init__(self, model: EndOfTurn) -> None:
        super().__init__(version=_VERSION)
        self._end_of_turn = model

    def stream(
        self, *, conn_options: APIConnectOptions = DEFAULT_API_CONNECT_OPTIONS
    ) -> _BaseStreamingTurnDetectorStream:
        return _BaseStreamingTurnDetectorStream(
            detector=self,
            opts=self._opts,
            transport=_Transport(self._end_of_turn),
            model=self.model,
            local_fallback=False,
        )


class _Window:
    """The last ``_WINDOW_SAMPLES``, which are put together only when the model asks for them."""

    def __init__(self) -> None:
        self._frames: deque[Samples] = deque()
        self._samples = 0

    def push(self, frame: Samples) -> None:
        self._frames.append(frame)
        self._samples += frame.size
        while self._samples - self._frames[0].size >= _WINDOW_SAMPLES:
            self._samples -= self._frames.popleft().size

    def read(self) -> Samples:
        return np.concatenate([_NOTHING, *self._frames])[-_WINDOW_SAMPLES:]

    def clear(self) -> None:
        self._frames.clear()
        self._samples = 0


class _Transport:
    """Keeps the last second of audio, and predicts from it when the engine asks."""

    def __init__(self, model: EndOfTurn) -> None:
        self._model = model
        self._heard = _Window()
        self._stream: _BaseStreamingTurnDetectorStream | None = None
        self._predicting: asyncio.Task[None] | None = None

    @property
    def session_id(self) -> str | None:
        return None

    def attach(self, stream: _BaseStreamingTurnDetectorStream) -> None:
        self._stream = stream

    def detach(self) -> None:
        self._give_up()
        self._stream = None

    def push_frame(self, frame: rtc.AudioFrame) -> None:
        self._heard.push(np.frombuffer(frame.data, np.int16))

    def flush(self) -> None:
        self._heard.clear()

    def run_inference(self, request_id: str) -> None:
        # The engine reads only the newest prediction.
        self._give_up()
        self._predicting = asyncio.create_task(self._predict(request_id, self._heard.read()))

    async def run(self) -> None:
        if self._stream is not None:
            await self._stream._drain_audio_channel()

    async def _predict(self, request_id: str, samples: Samples) -> None:
        started_at = time.monotonic()
        try:
            probability = await self._model.predict(samples)
        except ModelError as error:
            log.warning("end_of_turn_not_predicted", error=str(error))
            probability = _UNKNOWN
        if self._stream is not None:
            seconds = time.monotonic() - started_at
            self._stream._resolve_prediction(request_id, probability, inference_duration=seconds)

    def _give_up(self) -> None:
        if self._predicting is not None:
            self._predicting.cancel()
            self._predicting = None
