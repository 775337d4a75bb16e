"""OpenAI's chat completions: two short sentences, word by word."""

from __future__ import annotations

import asyncio
import contextlib
import json
from itertools import count
from typing import Any

from aiohttp import web

from bench.vendors.delays import Delays

REPLIES = (
    "Thank you, that is noted now. What else should the doctor know?",
    "That should be fine with us. Which day would suit you best?",
    "I see, that must hurt you. Since when have you had it?",
    "We have one more free hour. May I have your number, please?",
)
FIRST_SENTENCE_WORDS = 6
_USAGE = {"prompt_tokens": 500, "completion_tokens": 20, "total_tokens": 520}


class OpenAIChat:
    def __init__(self, delays: Delays) -> None:
        self._delays = delays
        self._numbers = count()

    async def serve(self, request: web.Request) -> web.StreamResponse:
        asked = await request.json()
        await asyncio.sleep(self._delays.first_token_seconds)
        if not asked.get("stream"):
            return web.json_response(_analysis(asked))
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        # The engine leaves when the caller goes on speaking.
        with contextlib.suppress(ConnectionError):
            await response.prepare(request)
            await self._write(response, asked["model"])
        return response

    async def _write(self, response: web.StreamResponse, model: str) -> None:
        words = REPLIES[next(self._numbers) % len(REPLIES)].split()
        await response.write(_event(model, {"role": "assistant", "content": ""}))
        for place, word in enumerate(words):
            await response.write(_event(model, {"content": f" {word}" if place else word}))
            if self._delays.token_seconds:
                await asyncio.sleep(self._delays.token_seconds)
        await response.write(_event(model, {}, finish_reason="stop"))
        await response.write(_event(model, None, usage=_USAGE))
        await response.write(b"data: [DONE]\n\n")
        await response.write_eof()


def _analysis(asked: dict[str, Any]) -> dict[str, Any]:
    """A whole completion, with the least that the schema of the request lets through."""
    asked_format = asked.get("response_format", {})
    schema = asked_format.get("json_schema", {}).get("schema", {"type": "object"})
    message = {"role": "assistant", "content": json.dumps(_least(schema))}
    return {
        "id": "chatcmpl-bench",
        "object": "chat.completion",
        "created": 0,
        "model": asked["model"],
        "choices": [{"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}],
        "usage": _USAGE,
    }


def _least(schema: dict[str, Any]) -> Any:
    if "anyOf" in schema:
        return _least(schema["anyOf"][0])
    if "enum" in schema:
        return schema["enum"][0]
    match schema.get("type", "string"):
        case "object":
            return {name: _least(each) for name, each in schema.get("properties", {}).items()}
        case "array":
            return []
        case "integer" | "number":
            return schema.get("minimum", 0)
        case "boolean":
            return False
        case "string":
            return "An appointment was asked for."
        case _:
            return None


def _event(
    model: str,
    delta: dict[str, str] | None,
    *,
    finish_reason: str | None = None,
    usage: dict[str, int] | None = None,
) -> bytes:
    choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish_reason}
    chunk: dict[str, Any] = {
        "id": "chatcmpl-bench",
        "object": "chat.completion.chunk",
        "created": 0,
        "model": model,
        "service_tier": "default",
        "system_fingerprint": "fp_bench",
        "choices": [] if delta is None else [choice],
        "usage": usage,
    }
    return f"data: {json.dumps(chunk)}\n\n".encode()
