"""A server that speaks Deepgram's ``/v1/listen`` and understands what it hears.

Each connection behaves as it is told, the last one's behaviour for ever::

    async with DeepgramWire(transcribe, [status(429), Behaviour()]).serving() as wire:
        recogniser = deepgram.STT(api_key="any", base_url=wire.base_url, ...)
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from aiohttp import WSMsgType, web
from numpy.typing import NDArray

Samples = NDArray[np.int16]

HZ = 16_000
FINAL_SECONDS = 0.3
"""Of silence, after which words are final."""
_INTERIM_SECONDS = 0.4
_GARBAGE_SECONDS = 0.2
_LOUD = 300
_PADDING = np.zeros(HZ // 5, np.int16)
_GARBAGE: tuple[str | bytes, ...] = (
    "{not json",
    '{"type": "Results"}',
    '[1, 2, {"type": "Results", "channel": null}]',
    b"\x00\x01\xfe\xff",
    "null",
    '{"type": "Results", "is_final": true, "speech_final": true, "metadata": {}, "channel": []}',
)

Fault = Literal["none", "refuses", "status", "no_handshake", "hangs", "drops", "ends", "garbage"]


@dataclass(frozen=True)
class Behaviour:
    fault: Fault = "none"
    after_seconds: float = 0.0
    """Of sound heard, before ``hangs``, ``drops``, ``ends`` and ``garbage`` begin."""
    status: int = 0
    delay_seconds: float = 0.0
    """By which every text comes later."""


def refuses() -> Behaviour:
    """Drops the connection before the handshake."""
    return Behaviour("refuses")


def status(code: int) -> Behaviour:
    return Behaviour("status", status=code)


def hangs_at_first() -> Behaviour:
    """Takes the connection and never answers the handshake."""
    return Behaviour("no_handshake")


def hangs(after_seconds: float = 0.0) -> Behaviour:
    """Goes on taking sound, and says no more."""
    return Behaviour("hangs", after_seconds)


def drops(after_seconds: float = 0.0) -> Behaviour:
    return Behaviour("drops", after_seconds)


def ends(after_seconds: float = 0.0) -> Behaviour:
    """Closes the websocket as if all had been said."""
    return Behaviour("ends", after_seconds)


def sends_garbage(after_seconds: float = 0.0) -> Behaviour:
    return Behaviour("garbage", after_seconds)


def slow(delay_seconds: float) -> Behaviour:
    return Behaviour(delay_seconds=delay_seconds)


@dataclass
class DeepgramWire:
    transcribe: Callable[[Samples], Awaitable[str]]
    """The words of one utterance at 16 kHz."""
    behaviours: Sequence[Behaviour] = (Behaviour(),)
    connections: int = 0
    heard_seconds: list[float] = field(default_factory=list)
    """Of sound, by each connection that was accepted."""
    base_url: str = ""

    def __post_init__(self) -> None:
        self._stopping = asyncio.Event()

    @contextlib.asynccontextmanager
    async def serving(self) -> AsyncIterator[DeepgramWire]:
        """Listens on 127.0.0.1 at ``base_url``, which ends with ``/v1/listen``."""
        app = web.Application()
        app.router.add_get("/v1/listen", self._listen)
        runner = web.AppRunner(app, shutdown_timeout=0.1)
        await runner.setup()
        try:
            await web.TCPSite(runner, "127.0.0.1", 0).start()
            self.base_url = f"http://127.0.0.1:{runner.addresses[0][1]}/v1/listen"
            yield self
        finally:
            self._stopping.set()
            await runner.cleanup()

    async def _listen(self, request: web.Request) -> web.StreamResponse:
        behaviour = self.behaviours[min(self.connections, len(self.behaviours) - 1)]
        self.connections += 1
        assert request.transport is not None
        match behaviour.fault:
            case "refuses":
                request.transport.abort()
                return web.Response()
            case "status":
                return web.json_response({"err_msg": "stand-in"}, status=behaviour.status)
            case "no_handshake":
                await self._stopping.wait()
                return web.Response(status=503)
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        place = len(self.heard_seconds)
        self.heard_seconds.append(0.0)
        hearing = _Hearing(socket, self.transcribe, behaviour)
        with contextlib.suppress(ConnectionError):
            async for message in socket:
                if message.type is WSMsgType.BINARY:
                    await hearing.take(np.frombuffer(message.data, np.int16), request.transport)
                    self.heard_seconds[place] = hearing.heard_seconds
                elif json.loads(message.data)["type"] == "CloseStream":
                    await hearing.finish()
                    break
        hearing.close()
        await socket.close()
        return socket


class _Hearing:
    """One connection."""

    def __init__(
        self,
        socket: web.WebSocketResponse,
        transcribe: Callable[[Samples], Awaitable[str]],
        behaviour: Behaviour,
    ) -> None:
        self._socket = socket
        self._transcribe = transcribe
        self._behaviour = behaviour
        self._utterance: list[Samples] = []
        self._began_at: float | None = None
        self._last_loud_at = 0.0
        self._interim_at = 0.0
        self._garbage = itertools.cycle(_GARBAGE)
        self._late: set[asyncio.Task[None]] = set()
        self.heard_seconds = 0.0

    async def take(self, samples: Samples, transport: asyncio.BaseTransport) -> None:
        began_at = self.heard_seconds
        self.heard_seconds += samples.size / HZ
        if self.heard_seconds >= self._behaviour.after_seconds:
            match self._behaviour.fault:
                case "hangs":
                    return
                case "drops":
                    transport.abort()  # type: ignore[attr-defined]
                    return
                case "ends":
                    await self._socket.close()
                    return
                case "garbage":
                    if self.heard_seconds - self._interim_at >= _GARBAGE_SECONDS:
                        self._interim_at = self.heard_seconds
                        await self._send_raw(next(self._garbage))
                    return
        await self._understand(samples, began_at)

    async def finish(self) -> None:
        if self._began_at is not None:
            await self._tell(is_final=True)

    def close(self) -> None:
        for task in self._late:
            task.cancel()

    async def _understand(self, samples: Samples, began_at: float) -> None:
        loud = np.flatnonzero((samples > _LOUD) | (samples < -_LOUD))
        if loud.size:
            self._last_loud_at = began_at + (int(loud[-1]) + 1) / HZ
            if self._began_at is None:
                self._began_at = self._interim_at = began_at
                await self._send({"type": "SpeechStarted", "timestamp": began_at})
        if self._began_at is None:
            self._utterance = [samples]
            return
        self._utterance.append(samples)
        if self.heard_seconds - self._last_loud_at >= FINAL_SECONDS:
            await self._tell(is_final=True)
            self._began_at = None
            self._utterance = []
        elif self.heard_seconds - self._interim_at >= _INTERIM_SECONDS:
            self._interim_at = self.heard_seconds
            await self._tell(is_final=False)

    async def _tell(self, *, is_final: bool) -> None:
        assert self._began_at is not None
        heard = np.concatenate([_PADDING, *self._utterance, _PADDING])
        words = (await self._transcribe(heard)).split()
        each = (self._last_loud_at - self._began_at) / max(1, len(words))
        timed = [
            {
                "word": word.lower().strip(".,!?"),
                "punctuated_word": word,
                "start": self._began_at + place * each,
                "end": self._began_at + (place + 1) * each,
                "confidence": 0.98,
            }
            for place, word in enumerate(words)
        ]
        alternative = {"transcript": " ".join(words), "confidence": 0.98, "words": timed}
        await self._send(
            {
                "type": "Results",
                "channel_index": [0, 1],
                "start": self._began_at,
                "duration": self.heard_seconds - self._began_at,
                "is_final": is_final,
                "speech_final": is_final,
                "metadata": {"request_id": "stand-in", "model_info": {"name": "nova-3"}},
                "channel": {"alternatives": [alternative]},
            }
        )

    async def _send(self, message: dict[str, Any]) -> None:
        text = json.dumps(message)
        if not self._behaviour.delay_seconds:
            await self._send_raw(text)
            return
        task = asyncio.create_task(self._send_late(text))
        self._late.add(task)
        task.add_done_callback(self._late.discard)

    async def _send_late(self, text: str) -> None:
        await asyncio.sleep(self._behaviour.delay_seconds)
        await self._send_raw(text)

    async def _send_raw(self, piece: str | bytes) -> None:
        with contextlib.suppress(ConnectionError):
            if isinstance(piece, bytes):
                await self._socket.send_bytes(piece)
            else:
                await self._socket.send_str(piece)
