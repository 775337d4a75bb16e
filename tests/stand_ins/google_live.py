"""A server with the wire format of Google's Live API (one websocket per call, over TLS), whose
faults are its own choice.

It hears no words: it is told what the caller says in each turn. Each word of an answer is a tone of
``WORD_SECONDS``. As Google does, it sends an answer as quickly as it can, and ends its turn when
that was probably played. It hangs up on a client that does not mark the caller's turns, or answers
tool calls that it has not made.

Source: https://ai.google.dev/api/live
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import itertools
import json
import socket
import ssl
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from aiohttp import WSMsgType, web

from tests.stand_ins.openai_realtime import (
    FIRST_SOUND_SECONDS,
    SLOWER,
    WORD_SECONDS,
    Fault,
    Reply,
    TokensTold,
    tone,
)

_INVALID, _INTERNAL = 1007, 1011
_REASONS = {
    "429": b"You exceeded your current quota, please check your plan and billing details.",
    "500": b"Internal error encountered.",
}
_INPUT_TEXT, _INPUT_AUDIO = 40, 30
_CACHED_TEXT, _CACHED_AUDIO = 20, 10
_THOUGHTS = 3


@dataclass
class GoogleLiveServer:
    """``replies`` are given one after the other, the last one for ever."""

    tls: ssl.SSLContext
    replies: Sequence[Reply] = (Reply("Hello."),)
    heard: Sequence[str] = ("What are your opening hours?",)
    """The caller's words, turn by turn; the last ones for ever."""
    fault: Fault = "none"
    fault_after_words: int = 4
    is_fault_for_ever: bool = True
    """Otherwise only the first connection has it."""
    setups: list[dict[str, Any]] = field(default_factory=list)
    """One for each connection."""
    events: list[dict[str, Any]] = field(default_factory=list)
    """From the client, without sound."""
    keys: list[str] = field(default_factory=list)
    heard_seconds: list[float] = field(default_factory=list)
    """Of sound, in each of the caller's turns."""
    sent: TokensTold = field(default_factory=TokensTold)
    base_url: str = ""

    def __post_init__(self) -> None:
        self._replies = list(self.replies)
        self._heard = list(self.heard)
        self._stopping = asyncio.Event()
        self._connections: list[_Connection] = []

    @contextlib.asynccontextmanager
    async def serving(self) -> AsyncIterator[GoogleLiveServer]:
        """Listens on 127.0.0.1 at ``base_url``."""
        app = web.Application()
        app.router.add_get("/ws/{method}", self._connect)
        self._runner = web.AppRunner(app, shutdown_timeout=0.1)
        await self._runner.setup()
        with socket.socket() as self._socket:
            self._socket.bind(("127.0.0.1", 0))
            self.base_url = f"https://127.0.0.1:{self._socket.getsockname()[1]}"
            try:
                if self.fault != "refused":
                    await self.open()
                yield self
            finally:
                self._stopping.set()
                await self._runner.cleanup()

    async def open(self) -> None:
        await web.SockSite(self._runner, self._socket, ssl_context=self.tls).start()

    @property
    def connections(self) -> int:
        return len(self.keys)

    def named(self, kind: str) -> list[dict[str, Any]]:
        """What the client has sent of that kind, for example ``tool_response``."""
        return [event[kind] for event in self.events if kind in event]

    async def goes_away(self) -> None:
        """Announce that the present connection will end soon."""
        await self._connections[-1].send(goAway={"timeLeft": "10s"})

    def breaks_off(self) -> None:
        """End the present connection without a goodbye."""
        self._connections[-1].abort()

    def next_reply(self) -> Reply:
        return self._replies.pop(0) if len(self._replies) > 1 else self._replies[0]

    def next_heard(self) -> str:
        return self._heard.pop(0) if len(self._heard) > 1 else self._heard[0]

    async def hang(self) -> None:
        await self._stopping.wait()

    async def _connect(self, request: web.Request) -> web.StreamResponse:
        if not request.match_info["method"].endswith(".GenerativeService.BidiGenerateContent"):
            return web.Response(status=404)
        self.keys.append(request.headers.get("x-goog-api-key", ""))
        has_fault = self.is_fault_for_ever or self.connections == 1
        fault: Fault = self.fault if has_fault else "none"
        if fault == "401":
            return web.Response(status=401)
        web_socket = web.WebSocketResponse(autoclose=False)
        await web_socket.prepare(request)
        connection = _Connection(self, web_socket, request, fault)
        self._connections.append(connection)
        await connection.run()
        return web_socket


class _Connection:
    def __init__(
        self,
        server: GoogleLiveServer,
        web_socket: web.WebSocketResponse,
        request: web.Request,
        fault: Fault,
    ) -> None:
        self._server = server
        self._socket = web_socket
        self._request = request
        self._fault = fault
        self._ids = itertools.count(1)
        self._answering: asyncio.Task[None] | None = None
        self._is_turn_open = False
        self._turn_seconds = 0.0
        self._calls: set[str] = set()

    async def run(self) -> None:
        with contextlib.suppress(ConnectionError):
            async for message in self._socket:
                if message.type is not WSMsgType.TEXT:
                    break
                await self._take(json.loads(message.data))
        if self._answering is not None:
            self._answering.cancel()
        await self._socket.close()

    def abort(self) -> None:
        assert self._request.transport is not None
        self._request.transport.abort()

    async def send(self, **message: Any) -> None:
        if self._fault != "hang first":
            await self._socket.send_bytes(json.dumps(message).encode())

    async def _take(self, message: dict[str, Any]) -> None:
        match message:
            case {"setup": setup}:
                self._server.setups.append(setup)
                await self._set_up()
            case {"realtime_input": {"audio": audio}}:
                await self._sound(base64.urlsafe_b64decode(audio["data"]))
            case {"realtime_input": {"activityStart": _}}:
                self._server.events.append(message)
                await self._turn_begins()
            case {"realtime_input": {"activityEnd": _}}:
                self._server.events.append(message)
                await self._turn_ends()
            case {"client_content": content}:
                self._server.events.append(message)
                if content.get("turnComplete"):
                    await self._interrupted()
                    self._answer()
            case {"tool_response": response}:
                self._server.events.append(message)
                await self._results(response["functionResponses"])
            case _:
                await self._hang_up(_INVALID, b"Request contains an invalid argument.")

    async def _set_up(self) -> None:
        if reason := _REASONS.get(self._fault):
            await self._hang_up(_INTERNAL, reason)
        else:
            await self.send(setupComplete={})

    async def _sound(self, pcm: bytes) -> None:
        if not self._is_turn_open:
            await self._hang_up(_INVALID, b"Sound outside of the caller's turn.")
        self._turn_seconds += len(pcm) / 2 / 16_000

    async def _turn_begins(self) -> None:
        if self._is_turn_open:
            await self._hang_up(_INVALID, b"The caller's turn has begun already.")
        self._is_turn_open = True
        self._turn_seconds = 0.0
        if self._calls:
            await self.send(toolCallCancellation={"ids": sorted(self._calls)})
            self._calls.clear()
        await self._interrupted()

    async def _turn_ends(self) -> None:
        if not self._is_turn_open:
            await self._hang_up(_INVALID, b"The caller's turn has not begun.")
        self._is_turn_open = False
        self._server.heard_seconds.append(self._turn_seconds)
        first, *others = self._server.next_heard().split(" ")
        for text in (f" {first}", f" {' '.join(others)}"):
            await self._content(inputTranscription={"text": text})
        self._answer()

    async def _results(self, responses: list[dict[str, Any]]) -> None:
        ids = {response["id"] for response in responses}
        if not ids <= self._calls:
            await self._hang_up(_INVALID, b"No such function call.")
        self._calls -= ids
        if not self._calls:
            self._answer()

    async def _interrupted(self) -> None:
        answering, self._answering = self._answering, None
        if answering is not None and not answering.done():
            answering.cancel()
            await asyncio.gather(answering, return_exceptions=True)
            await self._content(interrupted=True)
            await self._content(turnComplete=True)

    def _answer(self) -> None:
        self._answering = asyncio.create_task(self._answered())

    async def _answered(self) -> None:
        if self._fault == "garbage":
            await self._socket.send_bytes(b"?")
            return
        await self._wait(FIRST_SOUND_SECONDS)
        reply = self._server.next_reply()
        spoken = 0
        began_at = asyncio.get_running_loop().time()
        try:
            for number, word in enumerate(reply.words.split()):
                await self._fault_at(number)
                await self._say(word if number == 0 else f" {word}")
                spoken += 1
                await self._wait(WORD_SECONDS / 10)
            if reply.tool is not None:
                await self._call(*reply.tool)
                return
            await self._content(generationComplete=True)
            played_at = began_at + spoken * WORD_SECONDS
            await asyncio.sleep(max(0.0, played_at - asyncio.get_running_loop().time()))
            await self._content(turnComplete=True)
            handle = f"handle_{next(self._ids)}"
            await self.send(sessionResumptionUpdate={"newHandle": handle, "resumable": True})
        finally:
            with contextlib.suppress(ConnectionError):
                await self._usage(spoken)

    async def _fault_at(self, number: int) -> None:
        if number != self._server.fault_after_words:
            return
        if self._fault == "hang mid":
            await self._server.hang()
        if self._fault == "disconnect mid":
            # What was sent is on its way.
            await asyncio.sleep(0.05)
            self.abort()
            await self._server.hang()

    async def _say(self, text: str) -> None:
        await self._content(outputTranscription={"text": text})
        sound = {"mimeType": "audio/pcm;rate=24000", "data": tone()}
        await self._content(modelTurn={"role": "model", "parts": [{"inlineData": sound}]})

    async def _call(self, name: str, arguments: str) -> None:
        call_id = f"function-call-{next(self._ids)}"
        self._calls.add(call_id)
        call = {"id": call_id, "name": name, "args": json.loads(arguments)}
        await self.send(toolCall={"functionCalls": [call]})

    async def _usage(self, spoken: int) -> None:
        """Each word is four tokens of sound, and its words are one of text."""
        sent = self._server.sent
        sent.input_text += _INPUT_TEXT
        sent.input_audio += _INPUT_AUDIO
        sent.cached_text += _CACHED_TEXT
        sent.cached_audio += _CACHED_AUDIO
        sent.output_text += spoken + _THOUGHTS
        sent.output_audio += 4 * spoken
        await self.send(
            usageMetadata={
                "promptTokenCount": _INPUT_TEXT + _INPUT_AUDIO,
                "promptTokensDetails": _details(_INPUT_TEXT, _INPUT_AUDIO),
                "cachedContentTokenCount": _CACHED_TEXT + _CACHED_AUDIO,
                "cacheTokensDetails": _details(_CACHED_TEXT, _CACHED_AUDIO),
                "responseTokenCount": 5 * spoken,
                "responseTokensDetails": _details(spoken, 4 * spoken),
                "thoughtsTokenCount": _THOUGHTS,
                "totalTokenCount": _INPUT_TEXT + _INPUT_AUDIO + 5 * spoken + _THOUGHTS,
            }
        )

    async def _content(self, **content: Any) -> None:
        await self.send(serverContent=content)

    async def _hang_up(self, code: int, reason: bytes) -> None:
        await self._socket.close(code=code, message=reason)
        raise ConnectionResetError(reason.decode())

    async def _wait(self, seconds: float) -> None:
        await asyncio.sleep(seconds * (SLOWER if self._fault == "slow x 10" else 1))


def _details(text: int, audio: int) -> list[dict[str, Any]]:
    counts = {"TEXT": text, "AUDIO": audio}
    return [{"modality": each, "tokenCount": count} for each, count in counts.items()]
