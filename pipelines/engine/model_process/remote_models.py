"""The models of the model process, as the engine uses them in a worker."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from pathlib import Path
from typing import Self

from pipelines.engine.model_process.connection import ModelConnection, Patience
from pipelines.engine.model_process.messages import (
    Answer,
    Hello,
    Piece,
    PredictEndOfTurn,
    Probability,
    Skipped,
    Speak,
    Text,
    Transcribe,
    VoiceName,
)
from pipelines.engine.providers.local.speech_models import ModelError, Samples


class RemoteModels:
    """Implements ``LocalModels``: of the models that were loaded when the process said hello."""

    def __init__(self, connection: ModelConnection, hello: Hello) -> None:
        self._connection = connection
        rates = hello.sample_rates
        self.moonshine = RemoteRecogniser(connection) if "moonshine" in rates else None
        self.hibari = _voice(connection, "hibari", hello)
        self.espeak = _voice(connection, "espeak", hello)
        self.end_of_turn = RemoteEndOfTurn(connection) if "end_of_turn" in rates else None

    @classmethod
    async def connect(cls, socket_path: Path, patience: Patience | None = None) -> Self:
        """Wait until the process has loaded its models.

        Raises:
            ModelsNotStarted: it does not answer.
            SocketRefused: the path is too long.
        """
        connection = await ModelConnection.open(socket_path, patience)
        return cls(connection, await connection.hello())

    @property
    def oldest_request_seconds(self) -> float:
        return self._connection.oldest_request_seconds

    async def aclose(self) -> None:
        await self._connection.aclose()


class RemoteRecogniser:
    def __init__(self, connection: ModelConnection) -> None:
        self._connection = connection

    async def transcribe(self, samples: Samples) -> str:
        answer = await self._ask(samples, if_idle=False)
        if not isinstance(answer, Text):
            raise _unexpected(answer)
        return answer.text

    async def transcribe_if_idle(self, samples: Samples) -> str | None:
        if not self._connection.can_transcribe_now:
            return None
        answer = await self._ask(samples, if_idle=True)
        if isinstance(answer, Skipped):
            return None
        if not isinstance(answer, Text):
            raise _unexpected(answer)
        return answer.text

    async def _ask(self, samples: Samples, *, if_idle: bool) -> Answer:
        message = Transcribe(id=self._connection.new_id(), if_idle=if_idle)
        return await self._connection.answer(message, _sound(samples))


class RemoteVoice:
    def __init__(self, connection: ModelConnection, name: VoiceName, sample_rate: int) -> None:
        self._connection = connection
        self._name = name
        self._sample_rate = sample_rate

    @property
    def sample_rate(self) -> int:
        return self._sample_rate

    async def speak(self, text: str, *, locale: str) -> AsyncGenerator[bytes, None]:
        message = Speak(id=self._connection.new_id(), voice=self._name, text=text, locale=locale)
        async with aclosing(self._connection.answers(message)) as answers:
            async for answer, sound in answers:
                if isinstance(answer, Piece):
                    yield sound


class RemoteEndOfTurn:
    def __init__(self, connection: ModelConnection) -> None:
        self._connection = connection

    async def predict(self, samples: Samples) -> float:
        message = PredictEndOfTurn(id=self._connection.new_id())
        answer = await self._connection.answer(message, _sound(samples))
        if not isinstance(answer, Probability):
            raise _unexpected(answer)
        return answer.probability


def _voice(connection: ModelConnection, name: VoiceName, hello: Hello) -> RemoteVoice | None:
    rate = hello.sample_rates.get(name)
    return None if rate is None else RemoteVoice(connection, name, rate)


def _sound(samples: Samples) -> bytes:
    return samples.astype("<i2", copy=False).tobytes()


def _unexpected(answer: Answer) -> ModelError:
    return ModelError(f"the model process answered {answer.type}")
