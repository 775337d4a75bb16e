"""A voice behind a tenant's own address, asked with OpenAI's ``POST /audio/speech``."""

from __future__ import annotations

import uuid

import httpx2
from livekit.agents import (
    APIConnectionError,
    APIConnectOptions,
    APIError,
    APIStatusError,
    APITimeoutError,
    tts,
)
from livekit.agents.types import DEFAULT_API_CONNECT_OPTIONS

from outbound.address import AddressRefused
from outbound.api_address import api_address
from pipelines.engine.call_actions import CallActions

RATE_HZ = 24_000
"""Of the format ``pcm``: 16 bits, little-endian, mono, without a header (OpenAI, "Text to speech",
"Supported output formats")."""
_PATH = "/audio/speech"
_PCM = frozenset({"", "application/octet-stream", "audio/pcm", "audio/l16", "audio/x-raw"})
"""Media types of servers that send what they are asked for."""


class CompatibleVoice(tts.TTS[None]):
    """One request for each sentence."""

    def __init__(
        self, url: str, http: httpx2.AsyncClient, actions: CallActions, *, model: str, voice: str
    ) -> None:
        """
        Args:
            http: a guarded client, which is closed with this.
        """
        super().__init__(
            capabilities=tts.TTSCapabilities(streaming=False), sample_rate=RATE_HZ, num_channels=1
        )
        address = api_address(url, _PATH)
        self._url = httpx2.URL(f"{address.root}{_PATH}").copy_with(query=address.query)
        self._http = http
        self.actions = actions
        self._model = model
        self._voice = voice

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

    async def aclose(self) -> None:
        await self._http.aclose()

    async def ask(self, text: str) -> httpx2.Response:
        """The caller must close the response."""
        body = {
            "model": self._model,
            "voice": self._voice,
            "input": text,
            "response_format": "pcm",
        }
        request = self._http.build_request("POST", self._url, json=body)
        return await self._http.send(request, stream=True)


class _SpokenText(tts.ChunkedStream):
    def __init__(self, parent: CompatibleVoice, text: str, conn_options: APIConnectOptions) -> None:
        super().__init__(tts=parent, input_text=text, conn_options=conn_options)
        self._parent = parent

    async def _run(self, output_emitter: tts.AudioEmitter) -> None:
        output_emitter.initialize(
            request_id=uuid.uuid4().hex,
            sample_rate=RATE_HZ,
            num_channels=1,
            mime_type="audio/pcm",
        )
        try:
            response = await self._parent.ask(self.input_text)
            try:
                _check(response, self._parent.actions)
                async for chunk in response.aiter_bytes():
                    output_emitter.push(chunk)
            finally:
                await response.aclose()
        except httpx2.TimeoutException:
            raise APITimeoutError from None
        except (httpx2.HTTPError, AddressRefused) as error:
            raise APIConnectionError from error
        output_emitter.flush()


def _check(response: httpx2.Response, actions: CallActions) -> None:
    if response.status_code != httpx2.codes.OK:
        raise APIStatusError("custom voice", status_code=response.status_code, retryable=False)
    media_type = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type not in _PCM:
        actions.log(
            "warning",
            f"custom_voice_url answered with {media_type[:80]!r}: it must send audio/pcm.",
        )
        raise APIError("the custom voice does not answer with PCM", retryable=False)
