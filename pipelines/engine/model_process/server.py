"""Answers workers' requests with the models of this process."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from functools import partial
from typing import cast

import numpy as np
import structlog

from pipelines.engine.model_process.frames import BadFrame, Frame, encoded, read_frame
from pipelines.engine.model_process.messages import (
    Answer,
    Cancel,
    Failed,
    Hello,
    ModelName,
    Piece,
    PredictEndOfTurn,
    Probability,
    Request,
    Skipped,
    Speak,
    Spoken,
    Text,
    Transcribe,
    read_request,
)
from pipelines.engine.model_process.model_queue import ModelQueue
from pipelines.engine.model_process.spoken_sentences import SpokenSentences
from pipelines.engine.providers.local.loaded_models import LoadedModels
from pipelines.engine.providers.local.speech_models import HEARING_RATE, ModelError, Samples
from telemetry.metrics import MODELS

log = structlog.get_logger(__name__)

MOST_REQUESTS = 1_000
"""Of one worker, waiting or running. A thousand calls do not fit into a process."""


class ModelServer:
    """``serve`` is the callback of one ``asyncio.start_unix_server``."""

    def __init__(self, models: LoadedModels) -> None:
        self._models = models
        self._queues = {model: ModelQueue(model) for model in MODELS}
        self._spoken_lately = {voice: SpokenSentences() for voice in ("hibari", "espeak")}
        self._connections: set[asyncio.Task[None]] = set()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One worker, until it leaves or sends what is no message."""
        connection = cast("asyncio.Task[None]", asyncio.current_task())
        self._connections.add(connection)
        answering: dict[int, asyncio.Task[None]] = {}
        try:
            writer.write(encoded(self.hello().frame()))
            while frame := await read_frame(reader):
                message = read_request(frame.header)
                if isinstance(message, Cancel):
                    if task := answering.pop(message.id, None):
                        task.cancel()
                    continue
                if message.id in answering or len(answering) >= MOST_REQUESTS:
                    raise BadFrame("a request too many")
                task = asyncio.create_task(self._answer(message, frame.sound, writer))
                answering[message.id] = task
                task.add_done_callback(_forgetting(answering, message.id))
        except BadFrame as error:
            log.warning("model_request_unreadable", error=str(error))
        except ConnectionError:
            pass
        finally:
            for task in list(answering.values()):
                task.cancel()
            writer.close()
            self._connections.discard(connection)

    def hello(self) -> Hello:
        models = self._models
        rates: dict[ModelName, int] = {}
        if models.moonshine is not None:
            rates["moonshine"] = HEARING_RATE
        if models.hibari is not None:
            rates["hibari"] = models.hibari.sample_rate
        if models.espeak is not None:
            rates["espeak"] = models.espeak.sample_rate
        if models.end_of_turn is not None:
            rates["end_of_turn"] = HEARING_RATE
        return Hello(sample_rates=rates)

    async def aclose(self) -> None:
        """End all connections. What has not begun is dropped."""
        connections = list(self._connections)
        for connection in connections:
            connection.cancel()
        await asyncio.gather(*connections, return_exceptions=True)

    async def _answer(self, request: Request, sound: bytes, writer: asyncio.StreamWriter) -> None:
        try:
            async for answer in self._answers(request, sound):
                writer.write(encoded(answer))
                await writer.drain()
        except ConnectionError:
            pass  # ``serve`` sees it, too.
        except ModelError as error:
            writer.write(encoded(Failed(id=request.id, reason=str(error)).frame()))
        except Exception as error:
            log.exception("model_failed", request=request.type)
            reason = f"{type(error).__name__} in the model process"
            writer.write(encoded(Failed(id=request.id, reason=reason).frame()))

    async def _answers(self, request: Request, sound: bytes) -> AsyncIterator[Frame]:
        match request:
            case Transcribe(id=id, if_idle=if_idle):
                yield (await self._transcribed(id, _samples(sound), if_idle)).frame()
            case PredictEndOfTurn(id=id):
                yield (await self._predicted(id, _samples(sound))).frame()
            case Speak(id=id):
                async for pcm in self._spoken(request):
                    yield Piece(id=id).frame(pcm)
                yield Spoken(id=id).frame()

    async def _transcribed(self, id: int, samples: Samples, if_idle: bool) -> Answer:
        recogniser, queue = self._models.moonshine, self._queues["moonshine"]
        if recogniser is None:
            raise ModelError("the recogniser is not installed")
        if if_idle and not queue.is_idle:
            return Skipped(id=id)
        return Text(id=id, text=await queue.run(lambda: recogniser.transcribe(samples)))

    async def _predicted(self, id: int, samples: Samples) -> Answer:
        model, queue = self._models.end_of_turn, self._queues["end_of_turn"]
        if model is None:
            raise ModelError("the end-of-turn model is not installed")
        return Probability(id=id, probability=await queue.run(lambda: model.predict(samples)))

    async def _spoken(self, request: Speak) -> AsyncIterator[bytes]:
        voice = {"hibari": self._models.hibari, "espeak": self._models.espeak}[request.voice]
        if voice is None:
            raise ModelError(f"the voice {request.voice} is not installed")
        queue, spoken = self._queues[request.voice], self._spoken_lately[request.voice]
        # Each sentence waits for a turn of its own, so a long answer holds up nobody else's.
        for sentence in voice.sentences(request.text)[request.skip :]:
            saying = partial(voice.say, sentence, locale=request.locale)
            yield await spoken.sound((sentence, request.locale), partial(queue.run, saying))


def _samples(sound: bytes) -> Samples:
    return np.frombuffer(sound, "<i2")


def _forgetting(
    answering: dict[int, asyncio.Task[None]], id: int
) -> Callable[[asyncio.Task[None]], None]:
    def forget(done: asyncio.Task[None]) -> None:
        if answering.get(id) is done:
            del answering[id]

    return forget
