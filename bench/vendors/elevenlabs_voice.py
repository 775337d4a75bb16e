"""ElevenLabs' voices (``multi-stream-input``): sound as base64, with the time of each character."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from bench.babble import babble
from bench.vendors.delays import Delays

_HZ = 24_000
_CHARACTERS_PER_SECOND = 15
_PIECE_SECONDS = 0.4
_PIECE_CHARACTERS = round(_PIECE_SECONDS * _CHARACTERS_PER_SECOND)


@dataclass
class _Context:
    texts: asyncio.Queue[str | None] = field(default_factory=asyncio.Queue)
    """``None`` after the last one."""
    task: asyncio.Task[None] | None = None


class ElevenLabsVoice:
    def __init__(self, delays: Delays) -> None:
        self._delays = delays
        samples = babble(_HZ, _PIECE_SECONDS * 10).reshape(10, -1)
        self._pieces = [base64.b64encode(each.tobytes()).decode() for each in samples]

    async def serve(self, request: web.Request) -> web.StreamResponse:
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        contexts: dict[str, _Context] = {}
        try:
            async for message in socket:
                order = json.loads(message.data)
                if order.get("close_socket"):
                    break
                name = order.get("context_id")
                if name is None:  # It only keeps the connection open.
                    continue
                if name not in contexts:
                    contexts[name] = _Context()
                    contexts[name].task = asyncio.create_task(
                        self._speak(socket, name, contexts[name])
                    )
                if order.get("text", "").strip():
                    contexts[name].texts.put_nowait(order["text"])
                if order.get("close_context"):
                    contexts.pop(name).texts.put_nowait(None)
        finally:
            for context in contexts.values():
                if context.task is not None:
                    context.task.cancel()
        return socket

    async def _speak(self, socket: web.WebSocketResponse, name: str, context: _Context) -> None:
        # The call may be over before the last answer.
        with contextlib.suppress(ConnectionError):
            is_first = True
            while (text := await context.texts.get()) is not None:
                if is_first:
                    await asyncio.sleep(self._delays.first_byte_seconds)
                    is_first = False
                for place, answer in enumerate(self._answers(text)):
                    if place and self._delays.first_byte_seconds:
                        await asyncio.sleep(_PIECE_SECONDS / self._delays.voice_speed)
                    await socket.send_str(json.dumps(answer | {"contextId": name}))
            await socket.send_str(json.dumps({"contextId": name, "isFinal": True}))

    def _answers(self, text: str) -> Iterator[dict[str, Any]]:
        each_ms = round(1000 / _CHARACTERS_PER_SECOND)
        for begin in range(0, len(text), _PIECE_CHARACTERS):
            characters = text[begin : begin + _PIECE_CHARACTERS]
            alignment = {
                "chars": list(characters),
                "charStartTimesMs": [place * each_ms for place in range(len(characters))],
                "charDurationsMs": [each_ms] * len(characters),
            }
            yield {
                "audio": self._pieces[begin // _PIECE_CHARACTERS % len(self._pieces)],
                "alignment": alignment,
                "normalizedAlignment": alignment,
            }
