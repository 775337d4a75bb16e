"""A server that speaks Google's wire: ``models/{model}:generateContent``, whole or streamed.

It answers with what it is told, in order, as ``openai_wire`` does::

    async with GoogleWire([says("{}"), fails(503), hangs()]).serving() as wire:
        GoogleGemini(model="gemini", api_key="any", base_url=wire.base_url, timeout_seconds=5)
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from tests.stand_ins.openai_wire import Answer, fails, send_answer, send_events


@dataclass
class GoogleWire:
    """``answers`` are given one after the other, the last one for ever."""

    answers: Iterable[Answer] = (Answer("{}"),)
    requests: list[dict[str, Any]] = field(default_factory=list)
    """Bodies of the requests, as they came."""
    keys: list[str] = field(default_factory=list)
    models: list[str] = field(default_factory=list)
    base_url: str = ""

    def __post_init__(self) -> None:
        self._answers = list(self.answers)
        self._stopping = asyncio.Event()

    @contextlib.asynccontextmanager
    async def serving(self) -> AsyncIterator[GoogleWire]:
        """Listens on 127.0.0.1 at ``base_url``, which has no version in it."""
        app = web.Application()
        app.router.add_post("/{version}/models/{call}", self._generate)
        runner = web.AppRunner(app, shutdown_timeout=1.0)
        await runner.setup()
        try:
            await web.TCPSite(runner, "127.0.0.1", 0).start()
            self.base_url = f"http://127.0.0.1:{runner.addresses[0][1]}"
            yield self
        finally:
            self._stopping.set()
            await runner.cleanup()

    async def _generate(self, request: web.Request) -> web.StreamResponse:
        model, _, method = request.match_info["call"].partition(":")
        if method not in ("generateContent", "streamGenerateContent"):
            return web.Response(status=404)
        self.models.append(model)
        self.keys.append(request.headers.get("x-goog-api-key", ""))
        self.requests.append(await request.json())
        answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        if answer.is_hanging:
            await self._stopping.wait()
        if answer.delay_seconds:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._stopping.wait(), answer.delay_seconds)
        if method == "streamGenerateContent" and answer.status == 200 and answer.body is None:
            events = _events(answer)
            return await send_events(request, answer, events, self._stopping, _body(fails(500)))
        return await send_answer(request, answer, _body(answer), answer.content_type)


def _events(answer: Answer) -> list[bytes]:
    """Word by word; the first event has no words. Each tells the tokens until then."""
    texts = ["", *(f"{' ' if i else ''}{word}" for i, word in enumerate(answer.content.split(" ")))]
    documents: list[dict[str, Any]] = []
    for words, text in enumerate(texts):
        parts = [{"text": text}] if text else []
        candidate = {"content": {"role": "model", "parts": parts}, "index": 0}
        usage = {"promptTokenCount": 11, "candidatesTokenCount": words}
        usage["totalTokenCount"] = 11 + words
        documents.append({"candidates": [candidate], "usageMetadata": usage})
    documents[-1]["candidates"][0]["finishReason"] = "STOP"
    return [f"data: {json.dumps(document)}\n\n".encode() for document in documents]


def _body(answer: Answer) -> bytes:
    if answer.body is not None:
        return answer.body
    if answer.status != 200:
        status = {429: "RESOURCE_EXHAUSTED"}.get(answer.status, "UNKNOWN")
        error = {"code": answer.status, "message": "stand-in", "status": status}
        return json.dumps({"error": error}).encode()
    if answer.refusal is not None:
        return json.dumps({"promptFeedback": {"blockReason": "SAFETY"}}).encode()
    content = {"role": "model", "parts": [{"text": answer.content}]}
    return json.dumps(
        {
            "candidates": [{"content": content, "finishReason": "STOP", "index": 0}],
            "usageMetadata": {
                "promptTokenCount": 11,
                "candidatesTokenCount": 7,
                "totalTokenCount": 18,
            },
        }
    ).encode()
