"""One answer of a realtime model, on its way to the engine, under our own deadlines."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterable, Callable, Coroutine
from typing import Any, Literal, TypeVar

from livekit import rtc
from livekit.agents import llm
from livekit.agents.utils import aio

from pipelines.settings import ProviderDeadlines

Item = TypeVar("Item")
Modality = Literal["text", "audio"]
_SPOKEN: list[Modality] = ["audio", "text"]


class RelayedReply:
    """From the request to the end of the answer. What the engine reads from it ends in any case:
    with the answer, or when it is closed.

    Args:
        late: called once, with the reason, if the model is late or has ended without an answer.
        answers: called with the first sound or tool call.
        doubts: called if neither has come after half of the time that the model has.
    """

    def __init__(
        self,
        deadlines: ProviderDeadlines,
        late: Callable[[str], None],
        answers: Callable[[], None],
        doubts: Callable[[], object],
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._deadlines = deadlines
        self._late = late
        self._answers = answers
        self._doubts = doubts
        self._messages: aio.Chan[llm.MessageGeneration] = aio.Chan()
        self._functions: aio.Chan[llm.FunctionCall] = aio.Chan()
        self._open: list[aio.Chan[Any]] = [self._messages, self._functions]
        self._modalities: list[asyncio.Future[list[Modality]]] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self._streams = 0
        self.asked_at = self._loop.time()
        self._due_at = self.asked_at + deadlines.realtime_first_audio_seconds
        half = deadlines.realtime_first_audio_seconds / 2
        self._timer: asyncio.TimerHandle | None = self._loop.call_later(half, self._check)
        self._has_doubted = False
        self.has_answered = False
        self.has_called_tool = False
        self.is_open = True
        self.characters = 0
        self.sound_seconds = 0.0

    def relay(self, event: llm.GenerationCreatedEvent) -> llm.GenerationCreatedEvent:
        """What the engine gets in place of ``event``."""
        if self.is_open:
            self._run(self._relay_messages(event.message_stream))
            self._run(self._relay_functions(event.function_stream))
        return llm.GenerationCreatedEvent(
            message_stream=self._messages,
            function_stream=self._functions,
            user_initiated=event.user_initiated,
            response_id=event.response_id,
        )

    def nothing(self) -> llm.GenerationCreatedEvent:
        """For the engine, if the model has not begun to answer."""
        return llm.GenerationCreatedEvent(
            message_stream=self._messages, function_stream=self._functions, user_initiated=True
        )

    def is_alive(self) -> None:
        """The model has sent something that belongs to its answer."""
        if self.has_answered:
            self._due_at = self._loop.time() + self._deadlines.idle_seconds

    def close(self) -> None:
        """Nothing more of the answer is waited for; what has come can still be read."""
        self.is_open = False
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        for task in self._tasks:
            task.cancel()
        for channel in self._open:
            channel.close()
        for modalities in self._modalities:
            if not modalities.done():
                modalities.set_result(_SPOKEN)

    async def _relay_messages(self, messages: AsyncIterable[llm.MessageGeneration]) -> None:
        async for message in messages:
            text: aio.Chan[str] = aio.Chan()
            audio: aio.Chan[rtc.AudioFrame] = aio.Chan()
            modalities: asyncio.Future[list[Modality]] = self._loop.create_future()
            self._open += [text, audio]
            self._modalities.append(modalities)
            self._run(self._relay_modalities(message, modalities))
            self._run(self._relay_to(text, message.text_stream, self._has_text))
            self._run(self._relay_to(audio, message.audio_stream, self._has_sound))
            self._messages.send_nowait(
                llm.MessageGeneration(message.message_id, text, audio, modalities)
            )
        self._messages.close()

    async def _relay_modalities(
        self, message: llm.MessageGeneration, modalities: asyncio.Future[list[Modality]]
    ) -> None:
        told = await message.modalities
        if not modalities.done():
            modalities.set_result(told)

    async def _relay_functions(self, functions: AsyncIterable[llm.FunctionCall]) -> None:
        await self._relay_to(self._functions, functions, self._has_tool_call)

    async def _relay_to(
        self, channel: aio.Chan[Item], items: AsyncIterable[Item], comes: Callable[[Item], None]
    ) -> None:
        async for item in items:
            comes(item)
            channel.send_nowait(item)
        channel.close()

    def _has_text(self, text: str) -> None:
        self.characters += len(text)
        self.is_alive()

    def _has_sound(self, frame: rtc.AudioFrame) -> None:
        self.sound_seconds += frame.duration
        self._has_begun()

    def _has_tool_call(self, call: llm.FunctionCall) -> None:
        self.has_called_tool = True
        self._has_begun()

    def _has_begun(self) -> None:
        if not self.has_answered:
            self.has_answered = True
            self._answers()
        self.is_alive()

    def _run(self, work: Coroutine[Any, Any, None]) -> None:
        self._streams += 1
        task = self._loop.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if self._tasks or not self.is_open:
            return
        self.close()
        if not self.has_answered:
            self._late("its answer was empty")

    def _check(self) -> None:
        if self._loop.time() < self._due_at:
            if not self.has_answered and not self._has_doubted:
                self._has_doubted = True
                self._doubts()
            self._timer = self._loop.call_at(self._due_at, self._check)
            return
        self._timer = None
        if self.has_answered:
            why = f"nothing more came for {self._deadlines.idle_seconds:g} s"
        else:
            seconds = self._deadlines.realtime_first_audio_seconds
            why = f"no first sound came within {seconds:g} s"
        self._late(why)
