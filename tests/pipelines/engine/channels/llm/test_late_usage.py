"""Words and usage that a vendor tells when nobody waits for them any more count once."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from livekit.agents import APIConnectOptions, NotGivenOr, llm
from livekit.agents.metrics import LLMMetrics
from livekit.agents.types import DEFAULT_API_CONNECT_OPTIONS, NOT_GIVEN

from contracts.call_plan import ProviderChoice
from pipelines.engine.channels.candidates import Candidate, Candidates
from pipelines.engine.channels.circuit_breaker import CircuitBreaker
from pipelines.engine.channels.llm.estimated_tokens import EstimatedTokens
from pipelines.engine.channels.llm.supervised_llm import SupervisedLLM
from pipelines.engine.channels.usage_rates import UsageRates
from tests.pipelines.engine.actions import NotedReports
from tests.pipelines.engine.channels.llm.two_vendors import SOON

MODEL = ("vendor", "model")
USAGE = llm.CompletionUsage(completion_tokens=7, prompt_tokens=11, total_tokens=18)


class LateUsage(llm.LLM[None]):
    """Says a word, and the rest when it is told to ``go_on``, or while it is closed."""

    def __init__(self) -> None:
        super().__init__()
        self.go_on = asyncio.Event()

    def chat(
        self,
        *,
        chat_ctx: llm.ChatContext,
        tools: list[llm.Tool] | None = None,
        conn_options: APIConnectOptions = DEFAULT_API_CONNECT_OPTIONS,
        parallel_tool_calls: NotGivenOr[bool] = NOT_GIVEN,
        tool_choice: NotGivenOr[llm.ToolChoice] = NOT_GIVEN,
        extra_kwargs: NotGivenOr[dict[str, Any]] = NOT_GIVEN,
    ) -> llm.LLMStream:
        return _LateStream(self, chat_ctx=chat_ctx, tools=tools or [], conn_options=conn_options)


class _LateStream(llm.LLMStream):
    async def _run(self) -> None:
        assert isinstance(self._llm, LateUsage)
        self._say("Good day, ")
        try:
            await self._llm.go_on.wait()
        finally:
            self._say("dear caller. ")
            self._event_ch.send_nowait(llm.ChatChunk(id="1", usage=USAGE))

    def _say(self, words: str) -> None:
        delta = llm.ChoiceDelta(role="assistant", content=words)
        self._event_ch.send_nowait(llm.ChatChunk(id="1", delta=delta))


async def interrupted(*, tells_in_time: bool) -> tuple[list[int], EstimatedTokens]:
    """What was reported of an answer that the engine does not want any more while it waits for the
    second word, and what was estimated."""
    model = LateUsage()
    choice = ProviderChoice(provider=MODEL[0], model=MODEL[1])
    breaker = CircuitBreaker(lambda: 0.0)
    supervised = SupervisedLLM(
        Candidates([Candidate(choice, lambda: model, breaker)]),
        SOON.model_copy(update={"idle_seconds": 30.0}),
        NotedReports(),
        say_again="Please say it again.",
        rates=UsageRates(),
    )
    metrics: list[LLMMetrics] = []
    supervised.on("metrics_collected", metrics.append)
    stream = supervised.chat(chat_ctx=llm.ChatContext.empty())
    await anext(stream)
    waiting = asyncio.ensure_future(anext(stream))
    await asyncio.sleep(0.01)
    if tells_in_time:
        model.go_on.set()
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    await stream.aclose()
    await supervised.aclose()
    return [each.total_tokens for each in metrics if each.total_tokens], supervised.estimated[MODEL]


async def test_what_has_reached_this_machine_when_the_engine_stops_waiting_is_taken() -> None:
    told, estimated = await interrupted(tells_in_time=True)
    assert told == [18]
    assert estimated.output_tokens == 0


async def test_what_comes_while_a_request_is_closed_is_not_added_to_its_estimate() -> None:
    told, estimated = await interrupted(tells_in_time=False)
    assert told == []
    assert estimated.output_tokens == round(len("Good day, ") / 4)
