"""A server that speaks Anthropic's wire: streamed messages.

It answers with what it is told, in order, as ``openai_wire`` does::

    async with AnthropicWire([says("Hello."), fails(529), hangs()]).serving() as wire:
        AsyncClient(api_key="any", base_url=wire.base_url)
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from tests.stand_ins.openai_wire import Answer, send_answer, send_events

_ERROR = json.dumps(
    {"type": "error", "error": {"type": "api_error", "message": "stand-in"}}
).encode()
_USAGE = {"input_tokens": 11, "output_tokens": 7}


@dataclass
class AnthropicWire:
    """``answers`` are given one after the other, the last one for ever."""

    answers: Iterable[Answer] = (Answer("Hello."),)
    requests: list[dict[str, Any]] = field(default_factory=list)
    """Bodies of the requests, as they came."""
    base_url: str = ""

    def __post_init__(self) -> None:
        self._answers = list(self.answers)
        self._stopping = asyncio.Event()

    @contextlib.asynccontextmanager
    async def serving(self) -> AsyncIterator[AnthropicWire]:
        """Listens on 127.0.0.1 at ``base_url``, which has no version in it."""
        app = web.Application()
        app.router.add_post("/v1/messages", self._answer)
        runner = web.AppRunner(app, shutdown_timeout=1.0)
        await runner.setup()
        try:
            await web.TCPSite(runner, "127.0.0.1", 0).start()
            self.base_url = f"http://127.0.0.1:{runner.addresses[0][1]}"
            yield self
        finally:
            self._stopping.set()
            await runner.cleanup()

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        self.requests.append(await request.json())
        answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        if answer.is_hanging:
            await self._stopping.wait()
        if answer.status != 200:
            return await send_answer(request, answer, _ERROR, "application/json")
        return await send_events(request, answer, _events(answer), self._stopping, _ERROR)


def _events(answer: Answer) -> list[bytes]:
    """Word by word; the first event has no words."""
    message = {"id": "1", "type": "message", "role": "assistant", "model": "m", "content": []}
    block = {"type": "text", "text": ""}
    start = _event({"type": "message_start", "message": {**message, "usage": _USAGE}})
    start += _event({"type": "content_block_start", "index": 0, "content_block": block})
    words = [
        _event(
            {
                "type": "content_block_delta",
                "index": 0,
                "delta": {"type": "text_delta", "text": f" {word}" if i else word},
            }
        )
        for i, word in enumerate(answer.content.split(" "))
    ]
    stop = {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": _USAGE}
    end = _event({"type": "content_block_stop", "index": 0}) + _event(stop)
    return [start, *words, end + _event({"type": "message_stop"})]


def _event(document: dict[str, Any]) -> bytes:
    return f"event: {document['type']}\ndata: {json.dumps(document)}\n\n".encode()
