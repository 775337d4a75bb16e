"""A tenant's voice with the format ``svc`` (docs/custom-endpoints.md).

It says each word by itself, so that their times are exact, and misbehaves as it is told, text by
text::

    async with CustomVoice(tls, Misbehaviour(VoiceFault.HANG_MID)).serving() as server:
        AgentConfig(name="Ada", custom_voice_url=server.url)
"""

from __future__ import annotations

import asyncio
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
    VoiceFault,
    noise,
    words_apart,
)


@dataclass
class CustomVoice:
    tls: ssl.SSLContext
    misbehaviour: Misbehaviour = field(default_factory=Misbehaviour)
    pace: Pace = field(default_factory=Pace)
    tells_words: bool = True
    starts: list[dict[str, Any]] = field(default_factory=list)
    """The first message of each connection."""
    spoken: list[str] = field(default_factory=list)
    """The texts that came, in order."""
    paths: list[str] = field(default_factory=list)
    open_sockets: int = 0
    url: str = ""

    @contextlib.asynccontextmanager
    async def serving(self) -> AsyncIterator[CustomVoice]:
        """At ``url`` on 127.0.0.1. Told to refuse, it listens only after ``open``."""
        self._stopping = asyncio.Event()
        app = web.Application()
        app.router.add_get("/speak", self._serve)
        self._runner = web.AppRunner(app, shutdown_timeout=0.1)
        await self._runner.setup()
        with socket.socket() as self._socket:
            self._socket.bind(("127.0.0.1", 0))
            self.url = f"wss://127.0.0.1:{self._socket.getsockname()[1]}/speak"
            if self.misbehaviour.fault is not VoiceFault.REFUSED:
                await self.open()
            try:
                yield self
            finally:
                self._stopping.set()
                await self._runner.cleanup()

    async def open(self) -> None:
        await web.SockSite(self._runner, self._socket, ssl_context=self.tls).start()

    async def _serve(self, request: web.Request) -> web.StreamResponse:
        self.paths.append(request.path_qs)
        status = self.misbehaviour.fault.status if self.misbehaviour.fault else None
        if status is not None and self.misbehaviour.next() is not None:
            return web.Response(status=status)
        web_socket = web.WebSocketResponse()
        await web_socket.prepare(request)
        self.open_sockets += 1
        try:
            await self._speak_texts(web_socket)
        except ConnectionError:
            pass
        finally:
            self.open_sockets -= 1
        return web_socket

    async def _speak_texts(self, web_socket: web.WebSocketResponse) -> None:
        self.starts.append(await web_socket.receive_json())
        async for message in web_socket:
            order = json.loads(message.data)
            assert order["type"] == "speak"
            self.spoken.append(order["text"])
            if not await self._speak(web_socket, order["text"]):
                return

    async def _speak(self, web_socket: web.WebSocketResponse, text: str) -> bool:
        """Returns whether the connection goes on."""
        of_status = self.misbehaviour.fault is not None and self.misbehaviour.fault.status
        fault = None if of_status else self.misbehaviour.next()
        pace = self.pace.slower(10) if fault is VoiceFault.SLOW else self.pace
        if fault is VoiceFault.HANG_FIRST:
            await self._stopping.wait()
        if fault is VoiceFault.JSON:
            await web_socket.send_str("<html>sorry</html>")
        await self._wait(pace.first_byte_seconds)
        sent = 0
        limit = round(self.misbehaviour.after_seconds * VOICE_HZ)
        for word, samples in words_apart(text):
            begin, sent = sent, sent + samples.size
            breaks_off = fault in (VoiceFault.HANG_MID, VoiceFault.DISCONNECT_MID) and sent >= limit
            sound = noise(samples.size) if fault is VoiceFault.GARBAGE else samples.tobytes()
            if self.tells_words:
                await web_socket.send_str(json.dumps(_times(word, begin, sent)))
            await web_socket.send_bytes(sound[: 2 * max(0, limit - begin)] if breaks_off else sound)
            if breaks_off and fault is VoiceFault.HANG_MID:
                await self._stopping.wait()
            elif breaks_off:
                await asyncio.sleep(0.05)
                await web_socket.close(code=1011)
                return False
            await self._wait(samples.size / VOICE_HZ / pace.speed)
        await web_socket.send_str(json.dumps({"type": "done"}))
        return True

    async def _wait(self, seconds: float) -> None:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._stopping.wait(), seconds)


def _times(word: str, begin: int, end: int) -> dict[str, Any]:
    start_ms, end_ms = (round(1000 * place / VOICE_HZ) for place in (begin, end))
    return {"type": "words", "words": [{"text": word, "start_ms": start_ms, "end_ms": end_ms}]}
