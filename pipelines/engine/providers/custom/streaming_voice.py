"""A voice behind a tenant's own websocket, in the format ``svc``."""

from __future__ import annotations

import asyncio
import contextlib
import uuid
from collections.abc import AsyncIterator

from livekit.agents import APIConnectOptions, APIError, tts
from livekit.agents.types import DEFAULT_API_CONNECT_OPTIONS, TimedString
from websockets.asyncio.client import ClientConnection
from websockets.protocol import State

from pipelines.engine.providers.custom.endpoint import Endpoint
from pipelines.engine.providers.custom.voice_format import (
    RATE_HZ,
    Sound,
    SpokenText,
    Words,
    speak_message,
    start_message,
)


class StreamingVoice(tts.TTS[None]):
    """A connection speaks one sentence after the other. One whose sentence is not wanted to its end
    is closed, which tells the server to stop, and a new one is opened before the next sentence."""

    def __init__(
        self, endpoint: Endpoint, *, model: str, voice: str, language: str, connect_seconds: float
    ) -> None:
        super().__init__(
            capabilities=tts.TTSCapabilities(streaming=False), sample_rate=RATE_HZ, num_channels=1
        )
        self.endpoint = endpoint
        self._model = model
        self._start = start_message(voice=voice, language=language, model=model)
        self._connect_seconds = connect_seconds
        self._idle: list[ClientConnection] = []
        self._opening: set[asyncio.Task[None]] = set()
        self._is_closed = False

    @property
    def model(self) -> str:
        return self._model

    @property
    def provider(self) -> str:
        return "custom"

    def synthesize(
        self, text: str, *, conn_options: APIConnectOptions = DEFAULT_API_CONNECT_OPTIONS
    ) -> tts.ChunkedStream:
        return _SpokenText(self, text, conn_options)

    def prewarm(self) -> None:
        if not self._idle and not self._opening:
            task = asyncio.create_task(self._open_spare())
            self._opening.add(task)
            task.add_done_callback(self._opening.discard)

    async def aclose(self) -> None:
        self._is_closed = True
        for task in self._opening:
            task.cancel()
        await asyncio.gather(*self._opening, return_exceptions=True)
        await asyncio.gather(*(connection.close() for connection in self._idle))
        self._idle.clear()

    @contextlib.asynccontextmanager
    async def connection(self) -> AsyncIterator[ClientConnection]:
        """One that speaks nothing. It is kept for the next sentence if the block is left without an
        exception. Raises the engine's errors."""
        connection = await self._take()
        is_free = False
        try:
            yield connection
            is_free = not self._is_closed
        except asyncio.CancelledError:
            if not self._is_closed:
                self.prewarm()
            raise
        finally:
            if is_free:
                self._idle.append(connection)
            else:
                connection.transport.abort()

    async def _take(self) -> ClientConnection:
        while self._idle:
            connection = self._idle.pop()
            if connection.state is State.OPEN:
                return connection
        return await self.endpoint.connect(self._connect_seconds, self._start)

    async def _open_spare(self) -> None:
        # Whoever needs a connection next finds out why there is none.
        with contextlib.suppress(APIError):
            self._idle.append(await self.endpoint.connect(self._connect_seconds, self._start))


class _SpokenText(tts.ChunkedStream):
    def __init__(self, parent: StreamingVoice, text: str, conn_options: APIConnectOptions) -> None:
        super().__init__(tts=parent, input_text=text, conn_options=conn_options)
        self._parent = parent

    async def _run(self, output_emitter: tts.AudioEmitter) -> None:
        output_emitter.initialize(
            request_id=uuid.uuid4().hex,
            sample_rate=RATE_HZ,
            num_channels=1,
            mime_type="audio/pcm",
        )
        spoken = SpokenText()
        with self._parent.endpoint.engine_errors():
            async with self._parent.connection() as connection:
                await connection.send(speak_message(self.input_text))
                while not spoken.is_done:
                    match spoken.take(await connection.recv()):
                        case Sound(pcm):
                            output_emitter.push(pcm)
                        case Words(words):
                            output_emitter.push_timed_transcript(
                                [
                                    TimedString(word.text, start_time=word.start, end_time=word.end)
                                    for word in words
                                ]
                            )
        output_emitter.flush()
