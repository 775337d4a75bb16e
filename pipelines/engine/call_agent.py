"""The agent of one call for the engine: its prompt, its tools, and its rules for speech."""

from __future__ import annotations

import asyncio
from collections.abc import (
    AsyncGenerator,
    AsyncIterable,
    AsyncIterator,
    Awaitable,
    Callable,
    Iterator,
    Sequence,
)
from contextlib import aclosing
from dataclasses import replace
from typing import Any

from livekit import rtc
from livekit.agents import Agent, FlushSentinel, ModelSettings, llm, stt
from livekit.agents.types import TimedString

from contracts.call_plan import CallPlan
from pipelines.engine.call_actions import CallActions
from pipelines.engine.claim_check import ClaimCheck
from pipelines.engine.early_speech import EarlySpeech
from pipelines.engine.hearing import HearingRules
from pipelines.engine.overlapping_speech import OverlappingSpeech
from pipelines.engine.speaking_limit import SpeakingLimit, said_in_turn
from pipelines.engine.speaking_pace import SpeakingPace
from pipelines.engine.spoken_text import in_pieces
from pipelines.texts.phrases import no_promise
from pipelines.texts.prohibited_claims import ProhibitedClaims
from pipelines.texts.template import fill_template
from pipelines.texts.utterance import MOST_CHARACTERS, PartLength, TextPieces


class CallAgent(Agent):
    """
    Args:
        stt, llm, tts, turn_handling: in place of the session's own.
        on_arrival: called when it takes over from another agent.
        heard_before: what the caller has said when it begins to listen.
    """

    def __init__(
        self,
        plan: CallPlan,
        actions: CallActions,
        tools: Sequence[llm.Tool | llm.Toolset],
        overlapping: OverlappingSpeech,
        *,
        on_arrival: Callable[[CallAgent], Awaitable[None]] | None = None,
        heard_before: Callable[[], Sequence[rtc.AudioFrame]] = tuple,
        **in_place_of_the_sessions: Any,
    ) -> None:
        super().__init__(
            instructions=plan.compiled_prompt, tools=list(tools), **in_place_of_the_sessions
        )
        self._on_arrival = on_arrival
        self._heard_before = heard_before
        self._actions = actions
        self._overlapping = overlapping
        self._hearing = HearingRules.of(plan.agent.advanced)
        self._max_turn_seconds = plan.agent.advanced.max_turn_length_seconds
        self._pace = SpeakingPace(plan.locale)
        prohibited = fill_template(plan.agent.advanced.prohibited_claims or "", plan.variables)
        self._prohibited = ProhibitedClaims(prohibited)
        self._no_promise = no_promise(plan.locale)
        self._early: EarlySpeech | None = None

    def synthesise_early(self, text: str) -> None:
        """Make the sound of ``text``, which will be said soon. Call it when the session runs.

        Args:
            text: with all transforms of the session applied.
        """
        self._early = EarlySpeech(
            text, lambda pieces: Agent.default.tts_node(self, pieces, ModelSettings())
        )

    async def add_tools(self, tools: Sequence[llm.Tool]) -> None:
        """Give the model more tools. An answer that it has begun goes on without them."""
        await self.update_tools([*self.tools, *tools])

    async def on_enter(self) -> None:
        if self._on_arrival is not None:
            await self._on_arrival(self)

    async def aclose(self) -> None:
        if self._early is not None:
            await self._early.aclose()

    async def stt_node(
        self, audio: AsyncIterable[rtc.AudioFrame], model_settings: ModelSettings
    ) -> AsyncGenerator[stt.SpeechEvent, None]:
        async for event in Agent.default.stt_node(self, self._sound(audio), model_settings):
            heard = self._heard(event)
            if heard is not None:
                yield heard

    async def llm_node(
        self,
        chat_ctx: llm.ChatContext,
        tools: list[llm.Tool],
        model_settings: ModelSettings,
    ) -> AsyncGenerator[llm.ChatChunk | str | FlushSentinel, None]:
        """What the model writes, as far as it may be said, with the marks that end utterances."""
        check = ClaimCheck(self._prohibited, self._no_promise, self._claim_replaced)
        limit = SpeakingLimit(self._max_turn_seconds, self._pace, said_in_turn(chat_ctx))
        answer = _Answer(limit, check)
        async for chunk in Agent.default.llm_node(self, chat_ctx, tools, model_settings):
            if isinstance(chunk, str):
                for part in answer.take(chunk):
                    yield part
            elif isinstance(chunk, llm.ChatChunk) and chunk.delta and chunk.delta.content:
                for part in answer.take(chunk.delta.content):
                    yield part
                # Tool calls and usage still pass after the limit.
                delta = chunk.delta.model_copy(update={"content": None})
                yield chunk.model_copy(update={"delta": delta})
            else:
                yield chunk
        for part in answer.rest():
            yield part

    async def tts_node(
        self, text: AsyncIterable[str], model_settings: ModelSettings
    ) -> AsyncGenerator[rtc.AudioFrame, None]:
        characters = 0

        async def counted(pieces: AsyncIterable[str]) -> AsyncIterator[str]:
            nonlocal characters
            async for piece in pieces:
                characters += len(piece)
                yield piece

        seconds = 0.0
        async with aclosing(self._voiced(counted(text), model_settings)) as frames:
            async for frame in frames:
                seconds += frame.duration
                yield frame
        self._pace.spoke(characters, seconds)

    async def _voiced(
        self, text: AsyncIterable[str], model_settings: ModelSettings
    ) -> AsyncGenerator[rtc.AudioFrame, None]:
        has_sound = False
        if (early := self._early) is not None:
            is_same, text = await early.matches(aiter(text))
            if is_same:
                self._early = None
                async for frame in early.frames():
                    has_sound = True
                    yield frame
        if not has_sound:
            async for frame in Agent.default.tts_node(self, text, model_settings):
                yield frame

    async def transcription_node(
        self, text: AsyncIterable[str | TimedString], model_settings: ModelSettings
    ) -> AsyncGenerator[str | TimedString, None]:
        async for piece in in_pieces(text):
            yield piece

    async def _sound(self, audio: AsyncIterable[rtc.AudioFrame]) -> AsyncIterator[rtc.AudioFrame]:
        for frame in self._heard_before():
            yield frame
            # The recogniser is opened meanwhile.
            await asyncio.sleep(0)
        async for frame in audio:
            yield frame

    def _claim_replaced(self, claim: str) -> None:
        self._actions.log(
            "warning",
            f'A sentence was not said: it has "{claim}", which advanced.prohibitedClaims forbids.',
        )

    def _heard(self, event: stt.SpeechEvent) -> stt.SpeechEvent | None:
        if not event.alternatives:
            return event
        best = event.alternatives[0]
        text = self._hearing.hear(best.text[:MOST_CHARACTERS], best.confidence)
        if text is None or not self._overlapping.is_heard(text):
            return None
        return replace(event, alternatives=[replace(best, text=text), *event.alternatives[1:]])


class _Answer:
    """One answer of a model, in pieces and utterances."""

    def __init__(self, limit: SpeakingLimit, check: ClaimCheck) -> None:
        self._check = check
        self._limit = limit
        self._pieces = TextPieces()
        self._utterance = PartLength(MOST_CHARACTERS)

    def take(self, text: str) -> Iterator[str | FlushSentinel]:
        for checked in self._check.take(text):
            for piece in self._pieces.take(checked):
                yield from self._said(piece)

    def rest(self) -> Iterator[str | FlushSentinel]:
        for checked in self._check.rest():
            for piece in self._pieces.take(checked):
                yield from self._said(piece)
        yield from self._said(self._pieces.rest())

    def _said(self, piece: str) -> Iterator[str | FlushSentinel]:
        if said := self._limit.take(piece):
            yield said
            if self._utterance.ends_with(said):
                yield FlushSentinel()
