"""A server with the wire format of OpenAI's realtime API (one websocket per call), whose faults are
its own choice.

It hears no words: it is told what the caller says in each turn. Each word of an answer is a tone of
``WORD_SECONDS``, so that what was heard can be counted in the sound. Turns are committed by the
client, as a session without ``turn_detection`` does it.

Source: https://platform.openai.com/docs/api-reference/realtime
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import itertools
import json
import socket
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from aiohttp import WSMsgType, web

RATE_HZ = 24_000
WORD_SECONDS = 0.25
_TONE_SECONDS = 0.2
FIRST_SOUND_SECONDS = 0.2
SLOWER = 10

Fault = Literal[
    "none",
    "refused",
    "401",
    "429",
    "500",
    "hang first",
    "hang mid",
    "disconnect mid",
    "garbage",
    "slow x 10",
]
"""``refused``: nothing listens until the server is told to ``open``."""
_STATUSES = {"401": 401, "429": 429, "500": 500}


@dataclass(frozen=True)
class Reply:
    """What one request for an answer gets."""

    words: str = ""
    tool: tuple[str, str] | None = None
    """A name and arguments."""


@dataclass
class TokensTold:
    """What ``response.done`` has reported, over all answers."""

    input_text: int = 0
    input_audio: int = 0
    cached_text: int = 0
    cached_audio: int = 0
    output_text: int = 0
    output_audio: int = 0


@dataclass
class OpenAIRealtime:
    """``replies`` are given one after the other, the last one for ever."""

    replies: Sequence[Reply] = (Reply("Hello."),)
    heard: Sequence[str] = ("What are your opening hours?",)
    """The caller's words, turn by turn; the last ones for ever."""
    words_after_seconds: float = 0.0
    """The caller's, after the end of the turn."""
    fault: Fault = "none"
    fault_after_words: int = 4
    is_fault_for_ever: bool = True
    """Otherwise only the first connection has it."""
    events: list[dict[str, Any]] = field(default_factory=list)
    """From the client, without sound."""
    authorizations: list[str] = field(default_factory=list)
    sent: TokensTold = field(default_factory=TokensTold)
    transcribed_seconds: float = 0.0
    """Of the caller's turns."""
    base_url: str = ""
    connections: int = 0

    def __post_init__(self) -> None:
        self._replies = list(self.replies)
        self._heard = list(self.heard)
        self._stopping = asyncio.Event()

    @contextlib.asynccontextmanager
    async def serving(self) -> AsyncIterator[OpenAIRealtime]:
        """Listens on 127.0.0.1 at ``base_url``, which ends with ``/v1``."""
        app = web.Application()
        app.router.add_get("/v1/realtime", self._connect)
        self._runner = web.AppRunner(app, shutdown_timeout=0.1)
        await self._runner.setup()
        with socket.socket() as self._socket:
            self._socket.bind(("127.0.0.1", 0))
            self.base_url = f"http://127.0.0.1:{self._socket.getsockname()[1]}/v1"
            try:
                if self.fault != "refused":
                    await self.open()
                yield self
            finally:
                self._stopping.set()
                await self._runner.cleanup()

    async def open(self) -> None:
        await web.SockSite(self._runner, self._socket).start()

    def named(self, kind: str) -> list[dict[str, Any]]:
        """The events of that type which the client has sent."""
        return [event for event in self.events if event["type"] == kind]

    def next_reply(self) -> Reply:
        return self._replies.pop(0) if len(self._replies) > 1 else self._replies[0]

    def next_heard(self) -> str:
        return self._heard.pop(0) if len(self._heard) > 1 else self._heard[0]

    async def _connect(self, request: web.Request) -> web.StreamResponse:
        self.connections += 1
        self.authorizations.append(request.headers.get("Authorization", ""))
        has_fault = self.is_fault_for_ever or self.connections == 1
        fault: Fault = self.fault if has_fault else "none"
        if fault in _STATUSES:
            return web.Response(status=_STATUSES[fault])
        web_socket = web.WebSocketResponse(autoclose=False)
        await web_socket.prepare(request)
        await _Connection(self, web_socket, request, fault).run()
        return web_socket

    async def hang(self) -> None:
        await self._stopping.wait()


class _Connection:
    def __init__(
        self,
        wire: OpenAIRealtime,
        web_socket: web.WebSocketResponse,
        request: web.Request,
        fault: Fault,
    ) -> None:
        self._wire = wire
        self._socket = web_socket
        self._request = request
        self._fault = fault
        self._ids = itertools.count(1)
        self._answering: asyncio.Task[None] | None = None
        self._hearing: asyncio.Task[None] | None = None
        self._appended_seconds = 0.0
        self._last_item: str | None = None
        self._items: set[str] = set()

    async def run(self) -> None:
        with contextlib.suppress(ConnectionError):
            await self._send("session.created", session={"type": "realtime"})
            async for message in self._socket:
                if message.type is not WSMsgType.TEXT:
                    break
                await self._take(json.loads(message.data))
        for task in (self._answering, self._hearing):
            if task is not None:
                task.cancel()
        await self._socket.close()

    async def _take(self, event: dict[str, Any]) -> None:
        kind = event["type"]
        if kind == "input_audio_buffer.append":
            pcm = base64.b64decode(event["audio"])
            self._appended_seconds += len(pcm) / 2 / RATE_HZ
            return
        self._wire.events.append(event)
        match kind:
            case "session.update":
                await self._send("session.updated", session=event["session"])
            case "input_audio_buffer.commit":
                await self._committed()
            case "input_audio_buffer.clear":
                await self._send("input_audio_buffer.cleared")
            case "conversation.item.create":
                await self._add(event["item"])
            case "conversation.item.delete":
                await self._delete(event["item_id"])
            case "conversation.item.truncate":
                known = ("item_id", "content_index", "audio_end_ms")
                await self._send(
                    "conversation.item.truncated", **{name: event[name] for name in known}
                )
            case "response.create":
                self._answering = asyncio.create_task(self._answer(event))
            case "response.cancel" if self._answering is not None:
                self._answering.cancel()

    async def _delete(self, item_id: str) -> None:
        self._items.discard(item_id)
        if self._last_item == item_id:
            self._last_item = None
        await self._send("conversation.item.deleted", item_id=item_id)

    async def _committed(self) -> None:
        item_id = self._id("item")
        seconds, self._appended_seconds = self._appended_seconds, 0.0
        await self._send("input_audio_buffer.committed", item_id=item_id)
        content = [{"type": "input_audio", "transcript": None}]
        await self._add({"id": item_id, "type": "message", "role": "user", "content": content})
        hearing = self._heard(item_id, seconds)
        if self._wire.words_after_seconds:
            self._hearing = asyncio.create_task(hearing)
        else:
            await hearing

    async def _heard(self, item_id: str, seconds: float) -> None:
        await asyncio.sleep(self._wire.words_after_seconds)
        transcript = self._wire.next_heard()
        name = "conversation.item.input_audio_transcription"
        where = {"item_id": item_id, "content_index": 0}
        await self._send(f"{name}.delta", delta=transcript, **where)
        usage = {"type": "duration", "seconds": seconds}
        self._wire.transcribed_seconds += seconds
        await self._send(f"{name}.completed", transcript=transcript, usage=usage, **where)

    async def _add(self, item: dict[str, Any]) -> None:
        item = {"id": self._id("item"), "status": "completed"} | item
        previous, self._last_item = self._last_item, item["id"]
        self._items.add(item["id"])
        await self._send("conversation.item.added", previous_item_id=previous, item=item)

    async def _answer(self, asked: dict[str, Any]) -> None:
        metadata = (asked.get("response") or {}).get("metadata")
        response = {"id": self._id("resp"), "metadata": metadata}
        spoken = 0
        try:
            if self._fault == "garbage":
                await self._socket.send_str("?")
                return
            await self._send("response.created", response=response | {"status": "in_progress"})
            await self._wait(FIRST_SOUND_SECONDS)
            reply = self._wire.next_reply()
            if reply.words:
                async for _ in self._say(response["id"], reply.words):
                    spoken += 1
            if reply.tool is not None:
                await self._call(response["id"], reply.tool)
            await self._done(response, "completed", spoken)
        except asyncio.CancelledError:
            with contextlib.suppress(ConnectionError):
                await self._done(response, "cancelled", spoken)

    async def _say(self, response_id: str, text: str) -> AsyncIterator[None]:
        item = {"id": self._id("item"), "type": "message", "role": "assistant", "content": []}
        where = {"response_id": response_id, "output_index": 0}
        await self._send("response.output_item.added", item=item, **where)
        await self._add(item)
        part = where | {"item_id": item["id"], "content_index": 0}
        await self._send("response.content_part.added", part={"type": "audio"}, **part)
        for number, word in enumerate(text.split()):
            if number == self._wire.fault_after_words and self._fault == "hang mid":
                await self._wire.hang()
            if number == self._wire.fault_after_words and self._fault == "disconnect mid":
                # What was sent is on its way, and the connection ends without a goodbye.
                await asyncio.sleep(0.05)
                assert self._request.transport is not None
                self._request.transport.abort()
                await self._wire.hang()
            delta = word if number == 0 else f" {word}"
            await self._send("response.output_audio_transcript.delta", delta=delta, **part)
            await self._send("response.output_audio.delta", delta=tone(), **part)
            yield
            await self._wait(WORD_SECONDS / 10)
        await self._send("response.output_audio.done", **part)
        done = item | {"status": "completed"}
        await self._send("response.output_item.done", item=done, **where)

    async def _call(self, response_id: str, tool: tuple[str, str]) -> None:
        name, arguments = tool
        item = {
            "id": self._id("item"),
            "type": "function_call",
            "call_id": self._id("call"),
            "name": name,
            "arguments": "",
        }
        where = {"response_id": response_id, "output_index": 1}
        await self._send("response.output_item.added", item=item, **where)
        await self._add(item)
        done = item | {"arguments": arguments, "status": "completed"}
        await self._send("response.output_item.done", item=done, **where)

    async def _done(self, response: dict[str, Any], status: str, spoken: int) -> None:
        """Half of what it has read was in its cache, and each word is four tokens of sound."""
        sent = self._wire.sent
        told = {"input_text": 40, "cached_text": 20, "cached_audio": 10, "output_text": spoken}
        for name, count in {**told, "output_audio": 4 * spoken}.items():
            setattr(sent, name, getattr(sent, name) + count)
        input_audio = 30
        sent.input_audio += input_audio
        usage = {
            "input_tokens": 40 + input_audio,
            "output_tokens": 5 * spoken,
            "total_tokens": 40 + input_audio + 5 * spoken,
            "input_token_details": {
                "text_tokens": 40,
                "audio_tokens": input_audio,
                "cached_tokens": 30,
                "cached_tokens_details": {"text_tokens": 20, "audio_tokens": 10},
            },
            "output_token_details": {"text_tokens": spoken, "audio_tokens": 4 * spoken},
        }
        await self._send("response.done", response=response | {"status": status, "usage": usage})

    async def _wait(self, seconds: float) -> None:
        await asyncio.sleep(seconds * (SLOWER if self._fault == "slow x 10" else 1))

    async def _send(self, kind: str, **fields: Any) -> None:
        if self._fault == "hang first":
            return
        event = {"type": kind, "event_id": self._id("event"), **fields}
        await self._socket.send_str(json.dumps(event))

    def _id(self, kind: str) -> str:
        return f"{kind}_{next(self._ids)}"


def tone() -> str:
    samples = np.zeros(int(RATE_HZ * WORD_SECONDS), np.int16)
    sounding = int(RATE_HZ * _TONE_SECONDS)
    at = np.arange(sounding) / RATE_HZ
    samples[:sounding] = (np.sin(2 * np.pi * 440 * at) * 8_000).astype(np.int16)
    return base64.b64encode(samples.tobytes()).decode()
