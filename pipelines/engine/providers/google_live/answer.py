"""One answer of the model, as the engine reads it while it comes."""

from __future__ import annotations

import asyncio
from typing import Literal

from livekit import rtc
from livekit.agents import llm
from livekit.agents.utils import aio, shortuuid

_SPOKEN: list[Literal["text", "audio"]] = ["audio", "text"]


class LiveAnswer:
    def __init__(self) -> None:
        self.id = shortuuid("answer_")
        self.text = ""
        self._has_message = False
        self._messages: aio.Chan[llm.MessageGeneration] = aio.Chan()
        self._calls: aio.Chan[llm.FunctionCall] = aio.Chan()
        self._text: aio.Chan[str] = aio.Chan()
        self._audio: aio.Chan[rtc.AudioFrame] = aio.Chan()

    def event(self, *, is_asked: bool) -> llm.GenerationCreatedEvent:
        return llm.GenerationCreatedEvent(
            message_stream=self._messages,
            function_stream=self._calls,
            user_initiated=is_asked,
            response_id=self.id,
        )

    def says(self, text: str) -> None:
        self._begin_message()
        self.text += text
        self._text.send_nowait(text)

    def sounds(self, frame: rtc.AudioFrame) -> None:
        self._begin_message()
        self._audio.send_nowait(frame)

    def calls(self, call: llm.FunctionCall) -> None:
        self._calls.send_nowait(call)

    def end(self) -> None:
        for channel in (self._text, self._audio, self._messages, self._calls):
            channel.close()

    def _begin_message(self) -> None:
        if self._has_message:
            return
        self._has_message = True
        modalities: asyncio.Future[list[Literal["text", "audio"]]] = asyncio.Future()
        modalities.set_result(_SPOKEN)
        self._messages.send_nowait(
            llm.MessageGeneration(self.id, self._text, self._audio, modalities)
        )
