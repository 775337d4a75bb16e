"""The agent of one call for the engine: its prompt, its tools, and its rules for speech."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterable
from dataclasses import replace

from livekit import rtc
from livekit.agents import Agent, FlushSentinel, ModelSettings, function_tool, llm, stt

from contracts.call_plan import CallPlan
from pipelines.engine.call_actions import CallActions
from pipelines.engine.hearing import HearingRules
from pipelines.engine.speaking_limit import SpeakingLimit


class CallAgent(Agent):
    def __init__(self, plan: CallPlan, actions: CallActions) -> None:
        super().__init__(instructions=plan.compiled_prompt)
        self._actions = actions
        self._hearing = HearingRules.of(plan.agent.advanced)
        self._max_turn_seconds = plan.agent.advanced.max_turn_length_seconds

    @function_tool
    async def end_call(self) -> None:
        """End the call. Say goodbye first, in the same answer."""
        self._actions.end_call()

    async def stt_node(
        self, audio: AsyncIterable[rtc.AudioFrame], model_settings: ModelSettings
    ) -> AsyncGenerator[stt.SpeechEvent, None]:
        async for event in Agent.default.stt_node(self, audio, model_settings):
            heard = self._heard(event)
            if heard is not None:
                yield heard

    async def llm_node(
        self,
        chat_ctx: llm.ChatContext,
        tools: list[llm.Tool],
        model_settings: ModelSettings,
    ) -> AsyncGenerator[llm.ChatChunk | str | FlushSentinel, None]:
        limit = SpeakingLimit(self._max_turn_seconds)
        async for chunk in Agent.default.llm_node(self, chat_ctx, tools, model_settings):
            if isinstance(chunk, str):
                yield limit.take(chunk)
            elif isinstance(chunk, llm.ChatChunk) and chunk.delta and chunk.delta.content:
                # Tool calls and usage still pass after the limit.
                delta = chunk.delta.model_copy(update={"content": limit.take(chunk.delta.content)})
                yield chunk.model_copy(update={"delta": delta})
            else:
                yield chunk

    def _heard(self, event: stt.SpeechEvent) -> stt.SpeechEvent | None:
        if not event.alternatives:
            return event
        best = event.alternatives[0]
        text = self._hearing.hear(best.text, best.confidence)
        if text is None:
            return None
        return replace(event, alternatives=[replace(best, text=text), *event.alternatives[1:]])
