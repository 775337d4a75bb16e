"""A stand-in for the vendors' servers: notes how it was asked, and answers one request well, not at
all, or with a refusal.

Each protocol is spoken just far enough for the engine's own plugin to hear ``HEARD``, to be told
``SAID``, or to get ``AUDIO``.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
import re
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import aiohttp
from aiohttp import web

HEARD = "good morning"
SAID = "Good morning."
AUDIO = b"\x01\x00" * 2400
"""A tenth of a second at 24 kHz."""
_AUDIO_TEXT = base64.b64encode(AUDIO).decode()

Behaviour = Literal["answers", "refuses", "hangs", "disconnects"]


@dataclass
class Asked:
    """One request; ``parameters`` are those of the query and of the first JSON message, and the
    text of all messages to a voice."""

    path: str
    headers: Mapping[str, str]
    parameters: dict[str, Any]
    repeated: dict[str, list[str]]


@dataclass
class Vendor:
    behaviour: Behaviour = "answers"
    asked: list[Asked] = field(default_factory=list)
    base_url: str = ""

    async def _serve(self, request: web.Request) -> web.StreamResponse:
        query = {name: request.query.getall(name) for name in request.query}
        asked = Asked(request.path, request.headers.copy(), dict(request.query), query)
        self.asked.append(asked)
        if request.content_type == "application/json" and request.can_read_body:
            asked.parameters |= await request.json()
        elif request.content_type == "multipart/form-data":
            form = await request.post()
            asked.parameters |= {k: v for k, v in form.items() if isinstance(v, str)}
        if self.behaviour == "hangs":
            await asyncio.Event().wait()
        if self.behaviour == "refuses":
            return web.json_response({"error": {"message": "the key is not valid"}}, status=401)
        if self.behaviour == "disconnects":
            return await _broken_off(request)
        for pattern, answer in _PROTOCOLS.items():
            if re.fullmatch(pattern, request.path):
                return await answer(request, asked)
        return web.json_response({"error": {"message": "not found"}}, status=404)


@contextlib.asynccontextmanager
async def vendor(
    behaviour: Behaviour = "answers", tls: ssl.SSLContext | None = None
) -> AsyncIterator[Vendor]:
    served = Vendor(behaviour)
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", served._serve)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0, ssl_context=tls).start()
    host, port = runner.addresses[0][:2]
    served.base_url = f"{'https' if tls else 'http'}://{host}:{port}"
    try:
        yield served
    finally:
        await runner.cleanup()


async def _events(request: web.Request, *events: str) -> web.StreamResponse:
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
    await response.prepare(request)
    for event in events:
        await response.write(f"{event}\n\n".encode())
    return response


async def _broken_off(request: web.Request) -> web.StreamResponse:
    """The request is taken, and the connection ends without a goodbye."""
    response: web.StreamResponse = web.StreamResponse()
    if "upgrade" in request.headers.get("Connection", "").lower():
        response = socket = web.WebSocketResponse()
        await socket.prepare(request)
        await socket.receive()
    else:
        await response.prepare(request)
    if request.transport is not None:
        request.transport.abort()
    return response


@contextlib.asynccontextmanager
async def _socket(request: web.Request) -> AsyncIterator[web.WebSocketResponse]:
    socket = web.WebSocketResponse()
    await socket.prepare(request)
    yield socket
    # The client ends the conversation.
    async for _ in socket:
        continue


async def _until_audio(socket: web.WebSocketResponse, field_name: str | None = None) -> None:
    """Read until some audio has come, as bytes or in a JSON message's field."""
    async for message in socket:
        if message.type is aiohttp.WSMsgType.BINARY and field_name is None:
            return
        if field_name is not None and json.loads(message.data).get(field_name):
            return


# -- OpenAI --------------------------------------------------------------------------------------


async def _openai_chat(request: web.Request, asked: Asked) -> web.StreamResponse:
    def chunk(delta: dict[str, Any], finish_reason: str | None) -> str:
        choice = {"index": 0, "delta": delta, "finish_reason": finish_reason}
        head = {"id": "1", "object": "chat.completion.chunk", "created": 0, "model": "m"}
        return f"data: {json.dumps({**head, 'choices': [choice]})}"

    said = chunk({"role": "assistant", "content": SAID}, None)
    return await _events(request, said, chunk({}, "stop"), "data: [DONE]")


async def _openai_transcription(request: web.Request, asked: Asked) -> web.StreamResponse:
    return web.json_response({"text": HEARD})


async def _openai_realtime(request: web.Request, asked: Asked) -> web.StreamResponse:
    async with _socket(request) as socket:
        update = await socket.receive_json()
        asked.parameters |= update["session"]["audio"]["input"]["transcription"]
        await _until_audio(socket, "audio")
        done = "conversation.item.input_audio_transcription.completed"
        await socket.send_json({"type": done, "item_id": "1", "transcript": HEARD})
    return socket


async def _openai_speech(request: web.Request, asked: Asked) -> web.StreamResponse:
    delta = {"type": "speech.audio.delta", "audio": _AUDIO_TEXT}
    return await _events(request, f"data: {json.dumps(delta)}", "data: [DONE]")


# -- Google --------------------------------------------------------------------------------------


async def _gemini(request: web.Request, asked: Asked) -> web.StreamResponse:
    speaks = "AUDIO" in asked.parameters.get("generationConfig", {}).get("responseModalities", ())
    sound = {"inlineData": {"mimeType": "audio/L16;codec=pcm;rate=24000", "data": _AUDIO_TEXT}}
    content = {"role": "model", "parts": [sound if speaks else {"text": SAID}]}
    answer = {"candidates": [{"content": content, "finishReason": "STOP"}]}
    return await _events(request, f"data: {json.dumps(answer)}")


async def _gemini_live(request: web.Request, asked: Asked) -> web.StreamResponse:
    async with _socket(request) as socket:
        asked.parameters |= (await socket.receive_json())["setup"]
        await socket.send_json({"setupComplete": {}})
        await _until_audio(socket, "realtime_input")
        await socket.send_json({"serverContent": {"inputTranscription": {"text": HEARD}}})
    return socket


# -- Anthropic -----------------------------------------------------------------------------------


async def _anthropic_messages(request: web.Request, asked: Asked) -> web.StreamResponse:
    usage = {"input_tokens": 1, "output_tokens": 1}
    message = {"id": "1", "type": "message", "role": "assistant", "model": "m", "content": []}
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": {**message, "usage": usage}},
        {
            "type": "content_block_start",
            "index": 0,
            "content_block": {"type": "text", "text": ""},
        },
        {
            "type": "content_block_delta",
            "index": 0,
            "delta": {"type": "text_delta", "text": SAID},
        },
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": usage},
        {"type": "message_stop"},
    ]
    lines = [f"event: {event['type']}\ndata: {json.dumps(event)}" for event in events]
    return await _events(request, *lines)


# -- Deepgram ------------------------------------------------------------------------------------


async def _deepgram_listen(request: web.Request, asked: Asked) -> web.StreamResponse:
    word = {"word": HEARD, "start": 0.0, "end": 0.5, "confidence": 0.9}
    alternative = {"transcript": HEARD, "confidence": 0.9, "words": [word]}
    async with _socket(request) as socket:
        await _until_audio(socket)
        await socket.send_json(
            {
                "type": "Results",
                "is_final": True,
                "speech_final": True,
                "start": 0.0,
                "duration": 0.5,
                "metadata": {"request_id": "r"},
                "channel": {"alternatives": [alternative]},
            }
        )
    return socket


async def _deepgram_speak(request: web.Request, asked: Asked) -> web.StreamResponse:
    async with _socket(request) as socket:
        async for message in socket:
            if json.loads(message.data)["type"] == "Flush":
                await socket.send_bytes(AUDIO)
                await socket.send_json({"type": "Flushed"})
                break
    return socket


# -- ElevenLabs ----------------------------------------------------------------------------------


async def _elevenlabs_realtime(request: web.Request, asked: Asked) -> web.StreamResponse:
    async with _socket(request) as socket:
        await _until_audio(socket, "audio_base_64")
        await socket.send_json({"message_type": "committed_transcript", "text": HEARD})
    return socket


async def _elevenlabs_transcription(request: web.Request, asked: Asked) -> web.StreamResponse:
    return web.json_response({"text": HEARD, "language_code": "de", "words": []})


async def _elevenlabs_speak(request: web.Request, asked: Asked) -> web.StreamResponse:
    async with _socket(request) as socket:
        said = ""
        async for message in socket:
            order = json.loads(message.data)
            said += order.get("text", "")
            asked.parameters["text"] = said
            if order.get("close_context"):
                context = {"contextId": order["context_id"]}
                await socket.send_json({**context, "audio": _AUDIO_TEXT})
                await socket.send_json({**context, "isFinal": True})
                break
    return socket


# -- Cartesia ------------------------------------------------------------------------------------


async def _cartesia_turns(request: web.Request, asked: Asked) -> web.StreamResponse:
    async with _socket(request) as socket:
        await _until_audio(socket)
        await socket.send_json({"type": "turn.start", "request_id": "1"})
        await socket.send_json({"type": "turn.end", "request_id": "1", "transcript": HEARD})
    return socket


async def _cartesia_listen(request: web.Request, asked: Asked) -> web.StreamResponse:
    async with _socket(request) as socket:
        await _until_audio(socket)
        heard = {"type": "transcript", "is_final": True, "request_id": "1", "text": HEARD}
        await socket.send_json(heard)
    return socket


async def _cartesia_speak(request: web.Request, asked: Asked) -> web.StreamResponse:
    async with _socket(request) as socket:
        said = ""
        async for message in socket:
            order = json.loads(message.data)
            said += order["transcript"]
            asked.parameters |= order | {"transcript": said}
            if not order["continue"]:
                context = {"context_id": order["context_id"]}
                await socket.send_json({**context, "data": _AUDIO_TEXT})
                await socket.send_json({**context, "done": True})
                break
    return socket


_Answer = Callable[[web.Request, Asked], Awaitable[web.StreamResponse]]
_PROTOCOLS: dict[str, _Answer] = {
    "/openai/chat/completions": _openai_chat,
    "/openai/audio/transcriptions": _openai_transcription,
    "/openai/realtime": _openai_realtime,
    "/openai/audio/speech": _openai_speech,
    "/google/v1/models/[^:]+:streamGenerateContent": _gemini,
    "/google/ws/.*BidiGenerateContent": _gemini_live,
    "/anthropic/v1/messages": _anthropic_messages,
    "/deepgram/listen": _deepgram_listen,
    "/deepgram/speak": _deepgram_speak,
    "/elevenlabs/speech-to-text/realtime": _elevenlabs_realtime,
    "/elevenlabs/speech-to-text": _elevenlabs_transcription,
    "/elevenlabs/text-to-speech/[^/]+/multi-stream-input": _elevenlabs_speak,
    "/cartesia/stt/turns/websocket": _cartesia_turns,
    "/cartesia/stt/websocket": _cartesia_listen,
    "/cartesia/tts/websocket": _cartesia_speak,
}
