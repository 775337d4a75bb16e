"""A worker's one connection to the model process, shared by all its calls."""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import structlog

from pipelines.engine.model_process.frames import BadFrame, encoded, read_frame
from pipelines.engine.model_process.messages import (
    Answer,
    Cancel,
    Failed,
    Hello,
    Request,
    Transcribe,
    read_answer,
    read_hello,
)
from pipelines.engine.model_process.pending_request import PendingRequest
from pipelines.engine.model_process.socket_path import check_length
from pipelines.engine.providers.local.speech_models import ModelError

log = structlog.get_logger(__name__)

_READ_BYTES = 1024 * 1024


class ModelsNotStarted(RuntimeError):
    """No model process answered in time."""


@dataclass(frozen=True)
class Patience:
    """How long a worker waits for the model process, in seconds."""

    start: float = 60.0
    """For its first hello, while it loads the models."""
    hello: float = 2.0
    away: float = 5.0
    """For an answer, or the next sentence, from when the connection was lost."""
    answer: float = 20.0
    """For an answer, or the next sentence, of a process that is there."""
    first_pause: float = 0.05
    longest_pause: float = 0.5
    """Between two attempts to connect; each pause is twice as long as the one before."""


class ModelConnection:
    """Connects again by itself, and then asks again what has not been answered.

    A request whose answer does not come in time ends with ``ModelsAway``, so a request on which the
    model process dies again and again ends as well.
    """

    def __init__(
        self,
        socket_path: Path,
        patience: Patience | None = None,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._socket_path = socket_path
        self._patience = patience or Patience()
        self._now = now
        self._ids = itertools.count(1)
        self._pending: dict[int, PendingRequest] = {}
        self._writer: asyncio.StreamWriter | None = None
        """``None`` while the model process is away."""
        self._hello: asyncio.Future[Hello] = asyncio.get_running_loop().create_future()
        self._fault: Exception | None = None
        self._task = asyncio.create_task(self._stay_connected(), name="model-connection")

    @classmethod
    async def open(cls, socket_path: Path, patience: Patience | None = None) -> Self:
        """Wait until the model process has said hello.

        Raises:
            ModelsNotStarted: it has not for ``patience.start`` seconds.
            SocketRefused: the path is too long.
        """
        check_length(socket_path)
        connection = cls(socket_path, patience)
        start_seconds = connection._patience.start
        try:
            async with asyncio.timeout(start_seconds):
                await connection.hello()
        except BaseException as error:
            await connection.aclose()
            if isinstance(error, TimeoutError):
                raise ModelsNotStarted(
                    f"no model process answered at {socket_path} within {start_seconds:g} s: "
                    f"{connection._fault}"
                ) from error
            raise
        return connection

    async def aclose(self) -> None:
        self._writer = None
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)

    async def hello(self) -> Hello:
        """What the model process said first."""
        return await asyncio.shield(self._hello)

    def new_id(self) -> int:
        return next(self._ids)

    @property
    def oldest_request_seconds(self) -> float:
        """How long the oldest request has waited for its answer, or for the next sentence; 0
        without one."""
        oldest = min((each.since for each in self._pending.values()), default=None)
        return 0.0 if oldest is None else self._now() - oldest

    @property
    def can_transcribe_now(self) -> bool:
        """Whether the process is there and this worker has no transcription under way."""
        return self._writer is not None and not any(
            isinstance(each.message, Transcribe) for each in self._pending.values()
        )

    async def answer(self, message: Request, sound: bytes) -> Answer:
        """The one answer of a request. Raises as ``answers``."""
        async with aclosing(self.answers(message, sound)) as answers:
            answer, _ = await anext(answers)
            return answer

    async def answers(
        self, message: Request, sound: bytes = b""
    ) -> AsyncGenerator[tuple[Answer, bytes], None]:
        """All answers of a request, with their sound. Leaving the iteration cancels the request.

        Raises:
            ModelError: the model refused.
            ModelsAway: no answer came in time.
        """
        request = PendingRequest(message, sound, self._now)
        self._pending[message.id] = request
        try:
            if self._writer is None:
                request.lost(self._patience.away)
            else:
                request.limit(self._patience.answer)
                self._ask(request)
            while not request.is_over:
                answer, sound = await request.answer()
                if isinstance(answer, Failed):
                    raise ModelError(answer.reason)
                yield answer, sound
        finally:
            request.close()
            del self._pending[message.id]
            if not request.is_answered and self._writer is not None:
                self._writer.write(encoded(Cancel(id=message.id).frame()))

    def _ask(self, request: PendingRequest) -> None:
        try:
            frame = encoded(request.frame())
        except BadFrame as error:
            # Not raised: when it is asked again, that would end the connection of all calls.
            request.refused(ModelError(f"too much for the model process: {error}"))
            return
        if self._writer is not None:
            self._writer.write(frame)

    # -- staying connected ---------------------------------------------------------------------

    async def _stay_connected(self) -> None:
        pauses = self._pauses()
        while True:
            try:
                async with asyncio.timeout(self._patience.hello):
                    reader, writer = await asyncio.open_unix_connection(
                        self._socket_path, limit=_READ_BYTES
                    )
                try:
                    await self._greet(reader, writer)
                    pauses = self._pauses()
                    await self._receive(reader)
                finally:
                    self._lose()
                    writer.close()
            except (OSError, BadFrame) as error:
                self._fault = error
                if isinstance(error, BadFrame):
                    log.error("models.unreadable", error=str(error))
            await asyncio.sleep(next(pauses))

    async def _greet(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        async with asyncio.timeout(self._patience.hello):
            frame = await read_frame(reader)
        if frame is None:
            raise ConnectionResetError("it closed the connection before its hello")
        hello = read_hello(frame.header)
        if not self._hello.done():
            self._hello.set_result(hello)
        log.info("models.found", asked_again=len(self._pending))
        self._writer = writer
        for request in self._pending.values():
            if not request.is_answered:
                self._ask(request)

    async def _receive(self, reader: asyncio.StreamReader) -> None:
        """Until the connection ends."""
        while frame := await read_frame(reader):
            answer = read_answer(frame.header)
            # A request that was cancelled may have been answered before the process heard of it.
            if request := self._pending.get(answer.id):
                request.answered(answer, frame.sound)
                request.limit(self._patience.answer)

    def _lose(self) -> None:
        if self._writer is not None:
            self._writer = None
            log.warning("models.lost", unanswered=len(self._pending))
            for request in self._pending.values():
                request.lost(self._patience.away)

    def _pauses(self) -> Iterator[float]:
        pause = self._patience.first_pause
        while True:
            yield pause
            pause = min(2 * pause, self._patience.longest_pause)
