"""A tenant's transcriber (docs/custom-endpoints.md) that understands what it hears.

Each connection behaves as it is told, the last one's behaviour for ever::

    async with CustomTranscriber(tls, transcribe, [hangs()]).serving() as server:
        AgentConfig(name="Ada", custom_transcriber_url=server.url)
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from aiohttp import WSMsgType, web

from tests.stand_ins.deepgram_wire import FINAL_SECONDS, HZ, Behaviour, Samples

_LOUD = 300
_GARBAGE = ("{not json", '{"type": "final"}', b"\x00\x01\xfe\xff", "null")
_PADDING = np.zeros(HZ // 5, np.int16)


@dataclass
class CustomTranscriber:
    tls: ssl.SSLContext
    transcribe: Callable[[Samples], Awaitable[str]]
    """The words of one utterance at 16 kHz."""
    behaviours: Sequence[Behaviour] = (Behaviour(),)
    gives_interim: bool = True
    connections: int = 0
    starts: list[dict[str, Any]] = field(default_factory=list)
    """The first message of each connection."""
    finalized: int = 0
    url: str = ""

    def __post_init__(self) -> None:
        self._stopping = asyncio.Event()

    @contextlib.asynccontextmanager
    async def serving(self) -> AsyncIterator[CustomTranscriber]:
        """Listens on 127.0.0.1 at ``url``."""
        app = web.Application()
        app.router.add_get("/listen", self._listen)
        runner = web.AppRunner(app, shutdown_timeout=0.1)
        await runner.setup()
        try:
            await web.TCPSite(runner, "127.0.0.1", 0, ssl_context=self.tls).start()
            self.url = f"wss://127.0.0.1:{runner.addresses[0][1]}/listen"
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
                return web.Response(status=behaviour.status)
            case "no_handshake":
                await self._stopping.wait()
                return web.Response(status=503)
        web_socket = web.WebSocketResponse()
        await web_socket.prepare(request)
        with contextlib.suppress(ConnectionError):
            self.starts.append(await web_socket.receive_json())
            delay_seconds = behaviour.delay_seconds
            hearing = _Hearing(web_socket, self.transcribe, self.gives_interim, delay_seconds)
            try:
                await self._hear(hearing, behaviour, web_socket, request.transport)
            finally:
                hearing.stop()
        await web_socket.close()
        return web_socket

    async def _hear(
        self,
        hearing: _Hearing,
        behaviour: Behaviour,
        web_socket: web.WebSocketResponse,
        transport: asyncio.BaseTransport,
    ) -> None:
        async for message in web_socket:
            if message.type is not WSMsgType.BINARY:
                assert json.loads(message.data) == {"type": "finalize"}
                self.finalized += 1
                await hearing.finish()
                await hearing.all_told()
                return
            if hearing.seconds >= behaviour.after_seconds and behaviour.fault != "none":
                if not await _misbehave(behaviour, web_socket, transport):
                    return
                continue
            await hearing.take(np.frombuffer(message.data, np.int16))


async def _misbehave(
    behaviour: Behaviour, web_socket: web.WebSocketResponse, transport: asyncio.BaseTransport
) -> bool:
    """Returns whether the connection goes on."""
    match behaviour.fault:
        case "drops":
            transport.abort()  # type: ignore[attr-defined]
            return False
        case "ends":
            return False
        case "garbage":
            for piece in _GARBAGE:
                if isinstance(piece, bytes):
                    await web_socket.send_bytes(piece)
                else:
                    await web_socket.send_str(piece)
    return True


class _Hearing:
    """One connection: an utterance ends after ``FINAL_SECONDS`` of silence."""

    def __init__(
        self,
        web_socket: web.WebSocketResponse,
        transcribe: Callable[[Samples], Awaitable[str]],
        gives_interim: bool,
        delay_seconds: float,
    ) -> None:
        self._web_socket = web_socket
        self._transcribe = transcribe
        self._gives_interim = gives_interim
        self._delay_seconds = delay_seconds
        self._late: set[asyncio.Task[None]] = set()
        self._utterance: list[Samples] = []
        self._began_at: float | None = None
        self._loud_until = 0.0
        self._interim_at = 0.0
        self.seconds = 0.0

    async def take(self, samples: Samples) -> None:
        began_at, self.seconds = self.seconds, self.seconds + samples.size / HZ
        loud = np.flatnonzero(np.abs(samples.astype(np.int32)) > _LOUD)
        if loud.size:
            self._loud_until = began_at + (int(loud[-1]) + 1) / HZ
            if self._began_at is None:
                self._began_at = self._interim_at = began_at
        if self._began_at is None:
            self._utterance = [samples]
            return
        self._utterance.append(samples)
        if self.seconds - self._loud_until >= FINAL_SECONDS:
            await self.finish()
        elif self._gives_interim and self.seconds - self._interim_at >= 0.4:
            self._interim_at = self.seconds
            await self._tell("interim")

    async def finish(self) -> None:
        if self._began_at is not None:
            await self._tell("final")
            self._began_at = None
            self._utterance = []

    async def all_told(self) -> None:
        """Wait until what is late has been sent."""
        await asyncio.gather(*self._late)

    def stop(self) -> None:
        """Say no more of what is late."""
        for task in self._late:
            task.cancel()

    async def _tell(self, kind: str) -> None:
        assert self._began_at is not None
        text = await self._transcribe(np.concatenate([_PADDING, *self._utterance, _PADDING]))
        times = {"start_ms": 1000 * self._began_at, "end_ms": 1000 * self._loud_until}
        message = json.dumps({"type": kind, "text": text, **times})
        if not self._delay_seconds:
            await self._web_socket.send_str(message)
            return
        task = asyncio.create_task(self._send_late(message))
        self._late.add(task)
        task.add_done_callback(self._late.discard)

    async def _send_late(self, message: str) -> None:
        await asyncio.sleep(self._delay_seconds)
        with contextlib.suppress(ConnectionError):
            await self._web_socket.send_str(message)
