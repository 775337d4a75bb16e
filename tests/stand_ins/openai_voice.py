"""A server that speaks OpenAI's ``audio/speech``: PCM in events or as the body, as it is asked.

It speaks with the offline voice and misbehaves as it is told::

    async with OpenAIVoice(Misbehaviour(VoiceFault.HANG_MID)).serving() as voice:
        openai.TTS(base_url=voice.base_url, api_key="any", response_format="pcm")
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
import socket
import ssl
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from tests.stand_ins.voice_faults import (
    VOICE_HZ,
    Misbehaviour,
    Pace,
    Samples,
    VoiceFault,
    joined,
    noise,
    pieces,
    speech,
    words_apart,
)

_ERROR = {"error": {"message": "stand-in", "type": "server_error", "code": None}}


@dataclass
class OpenAIVoice:
    misbehaviour: Misbehaviour = field(default_factory=Misbehaviour)
    pace: Pace = field(default_factory=Pace)
    is_fluent: bool = True
    """Or says each word by itself."""
    requests: list[dict[str, Any]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    """With their queries."""
    open_requests: int = 0
    tls: ssl.SSLContext | None = None
    base_url: str = ""

    @contextlib.asynccontextmanager
    async def serving(self) -> AsyncIterator[OpenAIVoice]:
        """At ``base_url`` on 127.0.0.1. Told to refuse, it listens only after ``open``."""
        self._stopping = asyncio.Event()
        app = web.Application()
        app.router.add_post("/v1/audio/speech", self._speak)
        self._runner = web.AppRunner(app, shutdown_timeout=0.1)
        await self._runner.setup()
        with socket.socket() as self._socket:
            self._socket.bind(("127.0.0.1", 0))
            scheme = "https" if self.tls else "http"
            self.base_url = f"{scheme}://127.0.0.1:{self._socket.getsockname()[1]}/v1"
            if self.misbehaviour.fault is not VoiceFault.REFUSED:
                await self.open()
            try:
                yield self
            finally:
                self._stopping.set()
                await self._runner.cleanup()

    async def open(self) -> None:
        await web.SockSite(self._runner, self._socket, ssl_context=self.tls).start()

    async def _speak(self, request: web.Request) -> web.StreamResponse:
        self.open_requests += 1
        try:
            return await self._answer(request)
        except ConnectionError:
            return web.Response()
        finally:
            self.open_requests -= 1

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        asked: dict[str, Any] = await request.json()
        self.requests.append(asked)
        self.paths.append(request.path_qs)
        fault = self.misbehaviour.next()
        if fault is not None and fault.status is not None:
            return web.json_response(_ERROR, status=fault.status)
        if fault is VoiceFault.HANG_FIRST:
            await self._stopping.wait()
        if fault is VoiceFault.JSON:
            return web.json_response(_ERROR | {"padding": "sorry " * 2_000})
        pace = self.pace.slower(10) if fault is VoiceFault.SLOW else self.pace
        await self._wait(pace.first_byte_seconds)
        has_events = asked.get("stream_format") == "sse"
        media_type = "text/event-stream" if has_events else "audio/pcm"
        response = web.StreamResponse(headers={"Content-Type": media_type})
        await response.prepare(request)
        sent = 0
        for piece in pieces(self._sound(asked["input"]), pace.piece_seconds):
            sound = piece.tobytes()
            if fault is VoiceFault.GARBAGE:
                sound = noise(piece.size)
            left = round(self.misbehaviour.after_seconds * VOICE_HZ) - sent
            if fault in (VoiceFault.HANG_MID, VoiceFault.DISCONNECT_MID) and left < piece.size:
                await response.write(_delta(sound[: 2 * left]) if has_events else sound[: 2 * left])
                if fault is VoiceFault.HANG_MID:
                    await self._stopping.wait()
                if request.transport is not None:
                    await asyncio.sleep(0.05)
                    request.transport.abort()
                return response
            await response.write(_delta(sound) if has_events else sound)
            sent += piece.size
            await self._wait(pace.piece_seconds / pace.speed)
        if has_events:
            done = {"type": "speech.audio.done", "usage": {"input_tokens": 5, "output_tokens": 50}}
            await response.write(f"data: {json.dumps(done)}\n\ndata: [DONE]\n\n".encode())
        return response

    def _sound(self, text: str) -> Samples:
        if self.is_fluent:
            return speech(text)
        return joined([samples for _, samples in words_apart(text)])

    async def _wait(self, seconds: float) -> None:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._stopping.wait(), seconds)


def _delta(sound: bytes) -> bytes:
    event = {"type": "speech.audio.delta", "audio": base64.b64encode(sound).decode()}
    return f"data: {json.dumps(event)}\n\n".encode()
