"""Deepgram's recogniser (``/v1/listen``): hears when somebody speaks, and makes up the words."""

from __future__ import annotations

import asyncio
import contextlib
import json

import numpy as np
from aiohttp import WSMsgType, web

from bench.vendors.delays import Delays

_HZ = 16_000
_LOUD = 300
_INTERIM_SECONDS = 0.3
_WORDS_PER_SECOND = 2.5
_WORDS = (
    "i would like to book an appointment with the dentist on tuesday afternoon at half past three "
    "because a tooth on the left side has hurt since yesterday"
).split()


class DeepgramListen:
    def __init__(self, delays: Delays) -> None:
        self._delays = delays

    async def serve(self, request: web.Request) -> web.StreamResponse:
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        utterance = _Utterance(self._delays.final_seconds)
        # The client may be gone before its last answer.
        with contextlib.suppress(ConnectionError):
            async for message in socket:
                if message.type is WSMsgType.BINARY:
                    for answer in utterance.hear(message.data):
                        await socket.send_str(answer)
                elif (order := json.loads(message.data)["type"]) == "CloseStream":
                    break
                elif order == "Finalize":
                    await socket.send_str(utterance.finalize())
        await asyncio.shield(socket.close())
        return socket


class _Utterance:
    """Pure: pieces of sound in, Deepgram's messages out."""

    def __init__(self, final_seconds: float) -> None:
        self._final_seconds = final_seconds
        self._heard_seconds = 0.0
        self._began_at: float | None = None
        self._last_loud_at = 0.0
        self._interim_at = 0.0

    def hear(self, sound: bytes) -> list[str]:
        samples = np.frombuffer(sound, np.int16)
        began_at, self._heard_seconds = (
            self._heard_seconds,
            self._heard_seconds + samples.size / _HZ,
        )
        loud = np.flatnonzero((samples > _LOUD) | (samples < -_LOUD))
        if loud.size:
            self._last_loud_at = began_at + (int(loud[-1]) + 1) / _HZ
            if self._began_at is None:
                self._began_at = self._interim_at = began_at
                return [json.dumps({"type": "SpeechStarted", "timestamp": began_at})]
        if self._began_at is None:
            return []
        if self._heard_seconds - self._last_loud_at >= self._final_seconds:
            final = self._results(self._began_at, is_final=True)
            self._began_at = None
            return [final]
        if self._heard_seconds - self._interim_at >= _INTERIM_SECONDS:
            self._interim_at = self._heard_seconds
            return [self._results(self._began_at, is_final=False)]
        return []

    def finalize(self) -> str:
        """What was heard and not yet told. Empty when nothing was."""
        began_at, self._began_at = self._began_at, None
        since = self._heard_seconds if began_at is None else began_at
        return self._results(since, is_final=True, is_asked_for=True)

    def _results(self, began_at: float, *, is_final: bool, is_asked_for: bool = False) -> str:
        seconds = max(0.0, self._last_loud_at - began_at)
        most = max(1, round(seconds * _WORDS_PER_SECOND)) if seconds else 0
        words = _WORDS[:most]
        each = seconds / max(1, len(words))
        timed = [
            {
                "word": word,
                "punctuated_word": word,
                "start": began_at + place * each,
                "end": began_at + (place + 1) * each,
                "confidence": 0.98,
            }
            for place, word in enumerate(words)
        ]
        text = " ".join(words).capitalize() + ("." if is_final and words else "")
        alternative = {"transcript": text, "confidence": 0.98, "words": timed}
        return json.dumps(
            {
                "type": "Results",
                "channel_index": [0, 1],
                "start": began_at,
                "duration": seconds,
                "is_final": is_final,
                "speech_final": is_final,
                "from_finalize": is_asked_for,
                "metadata": {"request_id": "bench", "model_info": {"name": "nova-3"}},
                "channel": {"alternatives": [alternative]},
            }
        )
