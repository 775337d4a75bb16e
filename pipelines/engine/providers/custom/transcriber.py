"""A recogniser behind a tenant's own websocket."""

from __future__ import annotations

import asyncio
import uuid

from livekit import rtc
from livekit.agents import APIConnectOptions, LanguageCode, NotGivenOr, stt, utils
from livekit.agents.types import DEFAULT_API_CONNECT_OPTIONS, NOT_GIVEN
from websockets.asyncio.client import ClientConnection
from websockets.exceptions import ConnectionClosed, ConnectionClosedOK

from pipelines.engine.providers.custom.endpoint import Endpoint
from pipelines.engine.providers.custom.transcriber_format import (
    HeardText,
    finalize_message,
    heard_text,
    start_message,
)
from pipelines.engine.providers.local.speech_models import HEARING_RATE

_MESSAGE_SAMPLES = HEARING_RATE // 20


class CustomTranscriber(stt.STT[None]):
    """A connection for each stream. Final words come when the server finds an end."""

    def __init__(
        self, endpoint: Endpoint, *, model: str, language: str, keywords: tuple[str, ...]
    ) -> None:
        super().__init__(
            capabilities=stt.STTCapabilities(
                streaming=True, interim_results=True, offline_recognize=False
            )
        )
        self.endpoint = endpoint
        self.language = language
        self.start = start_message(
            rate_hz=HEARING_RATE, language=language, model=model, keywords=keywords
        )
        self._model = model

    @property
    def model(self) -> str:
        return self._model

    @property
    def provider(self) -> str:
        return "custom"

    def stream(
        self,
        *,
        language: NotGivenOr[str] = NOT_GIVEN,
        conn_options: APIConnectOptions = DEFAULT_API_CONNECT_OPTIONS,
    ) -> stt.RecognizeStream:
        return _Listening(self, conn_options)

    async def _recognize_impl(
        self,
        buffer: utils.AudioBuffer,
        *,
        language: NotGivenOr[str] = NOT_GIVEN,
        conn_options: APIConnectOptions,
    ) -> stt.SpeechEvent:
        raise NotImplementedError("it hears through a stream")


class _Listening(stt.RecognizeStream):
    def __init__(self, parent: CustomTranscriber, conn_options: APIConnectOptions) -> None:
        super().__init__(stt=parent, conn_options=conn_options, sample_rate=HEARING_RATE)
        self._parent = parent
        self._request_id = uuid.uuid4().hex
        self._unbilled_seconds = 0.0
        self._has_finalized = False

    async def _run(self) -> None:
        parent = self._parent
        connection = await parent.endpoint.connect(self._conn_options.timeout, parent.start)
        sending = asyncio.create_task(self._send_sound(connection))
        try:
            with parent.endpoint.engine_errors():
                await self._receive(connection)
        finally:
            await utils.aio.cancel_and_wait(sending)
            await connection.close()

    async def _send_sound(self, connection: ClientConnection) -> None:
        pieces = utils.audio.AudioByteStream(HEARING_RATE, 1, _MESSAGE_SAMPLES)
        try:
            async for frame in self._input_ch:
                if isinstance(frame, rtc.AudioFrame):
                    for piece in pieces.push(frame.data):
                        await self._send(connection, piece)
            for piece in pieces.flush():
                await self._send(connection, piece)
            self._has_finalized = True
            await connection.send(finalize_message())
        except ConnectionClosed:
            return  # Whoever receives finds out why.

    async def _send(self, connection: ClientConnection, piece: rtc.AudioFrame) -> None:
        self._unbilled_seconds += piece.duration
        await connection.send(bytes(piece.data))

    async def _receive(self, connection: ClientConnection) -> None:
        try:
            while True:
                if (heard := heard_text(await connection.recv())) is not None:
                    self._tell(heard)
        except ConnectionClosedOK:
            if not self._has_finalized:
                raise
        finally:
            self._bill()

    def _tell(self, heard: HeardText) -> None:
        kinds = stt.SpeechEventType
        offset = self.start_time_offset
        data = stt.SpeechData(
            language=LanguageCode(self._parent.language),
            text=heard.text,
            start_time=offset + (heard.start or 0.0),
            end_time=offset + (heard.end or 0.0),
        )
        kind = kinds.FINAL_TRANSCRIPT if heard.is_final else kinds.INTERIM_TRANSCRIPT
        self._event_ch.send_nowait(
            stt.SpeechEvent(type=kind, request_id=self._request_id, alternatives=[data])
        )
        if heard.is_final:
            self._bill()

    def _bill(self) -> None:
        usage = stt.RecognitionUsage(audio_duration=self._unbilled_seconds)
        self._unbilled_seconds = 0.0
        if not self._event_ch.closed:
            self._event_ch.send_nowait(
                stt.SpeechEvent(
                    type=stt.SpeechEventType.RECOGNITION_USAGE,
                    request_id=self._request_id,
                    recognition_usage=usage,
                )
            )
