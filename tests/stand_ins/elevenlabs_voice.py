"""A server that speaks ElevenLabs' ``multi-stream-input``: sound as base64, with the time of each
character from the beginning of the context.

It says each word by itself, so that the times are exact, and misbehaves as it is told, context by
context. A connection that has hung says nothing any more.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
import socket
from collections.abc import AsyncIterator, Collection, Iterator
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from tests.stand_ins.voice_faults import (
    VOICE_HZ,
    Misbehaviour,
    Pace,
    Samples,
    VoiceFault,
    noise,
    words_apart,
)

_HANGS = (VoiceFault.HANG_FIRST, VoiceFault.HANG_MID)


@dataclass
class _Context:
    name: str
    fault: VoiceFault | None
    texts: asyncio.Queue[str | None] = field(default_factory=asyncio.Queue)
    """``None`` after the last one."""
    sent_samples: int = 0
    task: asyncio.Task[None] | None = None


@dataclass
class ElevenLabsVoice:
    misbehaviour: Misbehaviour = field(default_factory=Misbehaviour)
    pace: Pace = field(default_factory=Pace)
    spoken: list[str] = field(default_factory=list)
    """The texts that came, in order."""
    characters: int = 0
    """That came, spoken or not: what the vendor charges for."""
    made_samples: int = 0
    """Of sound of the texts that came, whether or not somebody waited for it. A context that hangs
    has made it, too: to the client it is merely late. One that breaks off has made what it sent."""
    open_sockets: int = 0
    base_url: str = ""

    @contextlib.asynccontextmanager
    async def serving(self) -> AsyncIterator[ElevenLabsVoice]:
        """At ``base_url`` on 127.0.0.1. Told to refuse, it listens only after ``open``."""
        self._stopping = asyncio.Event()
        app = web.Application()
        app.router.add_get("/v1/text-to-speech/{voice}/multi-stream-input", self._serve)
        self._runner = web.AppRunner(app, shutdown_timeout=0.1)
        await self._runner.setup()
        with socket.socket() as self._socket:
            self._socket.bind(("127.0.0.1", 0))
            self.base_url = f"http://127.0.0.1:{self._socket.getsockname()[1]}/v1"
            if self.misbehaviour.fault is not VoiceFault.REFUSED:
                await self.open()
            try:
                yield self
            finally:
                self._stopping.set()
                await self._runner.cleanup()

    async def open(self) -> None:
        await web.SockSite(self._runner, self._socket).start()

    async def _serve(self, request: web.Request) -> web.StreamResponse:
        status = self.misbehaviour.fault.status if self.misbehaviour.fault else None
        if status is not None and self.misbehaviour.next() is not None:
            return web.Response(status=status)
        web_socket = web.WebSocketResponse()
        await web_socket.prepare(request)
        contexts: dict[str, _Context] = {}
        self.open_sockets += 1
        try:
            async for message in web_socket:
                order = json.loads(message.data)
                if order.get("close_socket"):
                    break
                name = order["context_id"]
                if name not in contexts:
                    contexts[name] = self._begin(web_socket, name, contexts.values())
                if order.get("text", "").strip():
                    self.characters += len(order["text"])
                    contexts[name].texts.put_nowait(order["text"])
                    if contexts[name].fault is not VoiceFault.DISCONNECT_MID:
                        self.made_samples += _length(order["text"])
                if order.get("close_context"):
                    contexts[name].texts.put_nowait(None)
        finally:
            self.open_sockets -= 1
            for context in contexts.values():
                if context.task is not None:
                    context.task.cancel()
        return web_socket

    def _begin(
        self, web_socket: web.WebSocketResponse, name: str, earlier: Collection[_Context]
    ) -> _Context:
        is_refusing = self.misbehaviour.fault is not None and self.misbehaviour.fault.status
        if any(each.fault in _HANGS for each in earlier):
            fault: VoiceFault | None = VoiceFault.HANG_FIRST
        else:
            fault = None if is_refusing else self.misbehaviour.next()
        context = _Context(name, fault)
        context.task = asyncio.create_task(self._speak(web_socket, context))
        return context

    async def _speak(self, web_socket: web.WebSocketResponse, context: _Context) -> None:
        with contextlib.suppress(ConnectionError):
            await self._speak_texts(web_socket, context)

    async def _speak_texts(self, web_socket: web.WebSocketResponse, context: _Context) -> None:
        pace = self.pace.slower(10) if context.fault is VoiceFault.SLOW else self.pace
        is_first = True
        while (text := await context.texts.get()) is not None:
            self.spoken.append(text)
            if context.fault is VoiceFault.HANG_FIRST:
                await self._stopping.wait()
            if context.fault is VoiceFault.JSON:
                await web_socket.send_str("<html>sorry</html>")
            if is_first:
                await self._wait(pace.first_byte_seconds)
            is_first = False
            for answer, samples in self._answers(text, context):
                await web_socket.send_str(json.dumps(answer | {"contextId": context.name}))
                if context.fault is VoiceFault.DISCONNECT_MID:
                    self.made_samples += len(base64.b64decode(answer["audio"])) // 2
                if self._breaks_off(context):
                    if context.fault is VoiceFault.HANG_MID:
                        await self._stopping.wait()
                    await asyncio.sleep(0.05)
                    await web_socket.close(code=1011)
                    return
                await self._wait(samples / VOICE_HZ / pace.speed)
        await web_socket.send_str(json.dumps({"contextId": context.name, "isFinal": True}))

    def _breaks_off(self, context: _Context) -> bool:
        limit = round(self.misbehaviour.after_seconds * VOICE_HZ)
        in_the_middle = (VoiceFault.HANG_MID, VoiceFault.DISCONNECT_MID)
        return context.fault in in_the_middle and context.sent_samples >= limit

    def _answers(self, text: str, context: _Context) -> Iterator[tuple[dict[str, Any], int]]:
        for word, samples in words_apart(text):
            begin = context.sent_samples
            limit = round(self.misbehaviour.after_seconds * VOICE_HZ)
            context.sent_samples += samples.size
            sound = samples.tobytes()
            if context.fault is VoiceFault.GARBAGE:
                sound = noise(samples.size)
            if self._breaks_off(context):
                sound = sound[: 2 * max(0, limit - begin)]
            yield _answer(f"{word} ", begin, samples, sound), samples.size

    async def _wait(self, seconds: float) -> None:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._stopping.wait(), seconds)


def _length(text: str) -> int:
    """Of its sound, in samples."""
    return sum(samples.size for _, samples in words_apart(text))


def _answer(word: str, begin: int, samples: Samples, sound: bytes) -> dict[str, Any]:
    each_ms = 1000 * samples.size / VOICE_HZ / len(word)
    begin_ms = 1000 * begin / VOICE_HZ
    alignment = {
        "chars": list(word),
        "charStartTimesMs": [round(begin_ms + place * each_ms) for place in range(len(word))],
        "charDurationsMs": [round(each_ms)] * len(word),
    }
    return {
        "audio": base64.b64encode(sound).decode(),
        "alignment": alignment,
        "normalizedAlignment": alignment,
    }
