"""The language model of a call: the models that can answer, one after the other, behind one."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Coroutine, Iterator
from typing import Any

from livekit.agents import llm
from livekit.agents.metrics import LLMMetrics
from livekit.agents.types import (
    DEFAULT_API_CONNECT_OPTIONS,
    NOT_GIVEN,
    APIConnectOptions,
    NotGivenOr,
)

from contracts.call_plan import ProviderChoice
from pipelines.engine.channels.candidates import Candidate, Candidates
from pipelines.engine.channels.closing_streams import ClosingStreams
from pipelines.engine.channels.llm.estimated_tokens import EstimatedTokens
from pipelines.engine.channels.llm.given_answer import GivenAnswer
from pipelines.engine.channels.llm.llm_attempt import ONCE, LLMAttempt
from pipelines.engine.channels.llm.supervised_answer import (
    MOST_UNANSWERED_TURNS,
    LLMRequest,
    answer,
)
from pipelines.engine.channels.llm.unanswered_turns import UnansweredTurns
from pipelines.engine.channels.model_failure import ModelFailed, failure_of
from pipelines.engine.channels.reports import ChannelReports
from pipelines.engine.channels.serving_model import FailedAttempt, ServingModel
from pipelines.engine.channels.time_left import time_left
from pipelines.engine.channels.usage_rates import UsageRates
from pipelines.engine.providers.request_sent import watched
from pipelines.engine.providers.spec import ProviderUnavailable
from pipelines.settings import ProviderDeadlines

LanguageModel = llm.LLM[Any]

_LAST_RESORT_SECONDS = 0.1
"""That the playbook takes for its first words on a busy machine."""


_NO_TOKENS = dict.fromkeys(
    (
        "completion_tokens",
        "prompt_tokens",
        "prompt_cached_tokens",
        "cache_creation_tokens",
        "reasoning_tokens",
        "total_tokens",
    ),
    0,
)
"""In the metrics of the models' streams. A stream may take in its usage when its answer has already
been given up, and count what is estimated, too. So only ``SupervisedLLM.used`` counts."""


class SupervisedLLM(llm.LLM[Any]):
    """Never raises and emits no errors: what goes wrong is told to ``reports``.

    Args:
        say_again: what the agent says in a turn that no model answers.
        rates: how the models count, by what the process's calls know.
    """

    def __init__(
        self,
        candidates: Candidates[LanguageModel],
        deadlines: ProviderDeadlines,
        reports: ChannelReports,
        *,
        say_again: str,
        rates: UsageRates,
    ) -> None:
        super().__init__()
        self.say_again = say_again
        self.serving = ServingModel("llm", candidates, reports)
        self.closing = ClosingStreams()
        self._candidates = candidates
        self._deadlines = deadlines
        self._reports = reports
        self._rates = rates
        self._turns = UnansweredTurns()
        self._is_exhausted = False
        self._unusable: set[Candidate[LanguageModel]] = set()
        self._forwarded: set[Candidate[LanguageModel]] = set()
        self.estimated: dict[tuple[str, str], EstimatedTokens] = {}
        """By provider and model: tokens of which their vendors have told nothing."""

    @property
    def model(self) -> str:
        return self.serving.candidate.choice.model

    @property
    def provider(self) -> str:
        return self.serving.candidate.choice.provider

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
        """``conn_options`` are the session's, and count for nothing here."""
        options = {
            "parallel_tool_calls": parallel_tool_calls,
            "tool_choice": tool_choice,
            "extra_kwargs": extra_kwargs,
        }
        return _SupervisedStream(self, LLMRequest(chat_ctx, tools or [], options))

    def prewarm(self, *, loop: asyncio.AbstractEventLoop | None = None) -> None:
        try:
            model = self._built(self._candidates.primary)
        except ProviderUnavailable:
            # The first request finds it out again, and reports it.
            return
        model.prewarm(loop=loop)

    async def aclose(self) -> None:
        await self.closing.aclose()
        await self._candidates.aclose()

    # -- what an answer needs ------------------------------------------------------------------

    def usable(self) -> Iterator[Candidate[LanguageModel]]:
        """In the order in which they are asked."""
        return (each for each in self._candidates.attempts() if each not in self._unusable)

    def ask(
        self,
        candidate: Candidate[LanguageModel],
        request: LLMRequest,
        given: GivenAnswer,
        waited_seconds: float,
    ) -> LLMAttempt:
        """Let it make the answer, or the rest of it.

        Args:
            waited_seconds: since the caller's turn or the last words.

        Raises ``ModelFailed``.
        """
        try:
            model = self._built(candidate)
        except ProviderUnavailable as error:
            self._unusable.add(candidate)
            raise ModelFailed(str(error), concerns_others=False) from error
        if candidate.is_our_own:
            # The playbook answers what the caller has said; it cannot go on with others' words.
            given.begins_anew()
            chat_ctx = request.chat_ctx
        else:
            given.goes_on()
            chat_ctx = given.request(request.chat_ctx)
        try:
            with watched() as sent:
                stream = model.chat(
                    chat_ctx=chat_ctx, tools=request.tools, conn_options=ONCE, **request.options
                )
        except Exception as error:
            raise failure_of(error) from error
        first_token_seconds = self._deadlines.llm_first_token_seconds
        if not candidate.is_our_own:
            first_token_seconds = time_left(
                first_token_seconds, waited_seconds, _LAST_RESORT_SECONDS
            )
        return LLMAttempt(stream, sent, self._deadlines, first_token_seconds)

    def failed(
        self, candidate: Candidate[LanguageModel], failure: ModelFailed, asked_at: float
    ) -> FailedAttempt[LanguageModel]:
        if failure.concerns_others and candidate.breaker is not None:
            candidate.breaker.failed()
        was_asked = candidate not in self._unusable
        return FailedAttempt(candidate, str(failure), asked_at, was_asked=was_asked)

    def answered(self, candidate: Candidate[LanguageModel]) -> None:
        """It has answered, at least until the engine did not want to hear more."""
        self._turns.answered()
        if candidate.breaker is not None:
            candidate.breaker.succeeded()

    def used(self, candidate: Candidate[LanguageModel], attempt: LLMAttempt) -> None:
        """The attempt is over. What the vendor does not report of it is estimated."""
        if (usage := attempt.usage) is not None:
            self._report_usage(candidate, usage)
        if candidate.is_our_own or not attempt.is_charged:
            return
        read, written = attempt.read_characters, attempt.written_characters
        estimated = self._estimated(candidate.choice)
        if usage is not None:
            counts = usage.completion_tokens, usage.reasoning_tokens
            estimated.reported(read, usage.prompt_tokens, written, *counts)
        else:
            estimated.unreported(read, written)

    def _estimated(self, choice: ProviderChoice) -> EstimatedTokens:
        names = choice.provider, choice.model
        if names not in self.estimated:
            self.estimated[names] = EstimatedTokens(self._rates.tokens(*names))
        return self.estimated[names]

    def _report_usage(
        self, candidate: Candidate[LanguageModel], usage: llm.CompletionUsage
    ) -> None:
        metrics = LLMMetrics(
            label=self._label,
            request_id="",
            timestamp=time.time(),
            duration=0.0,
            ttft=-1.0,
            cancelled=False,
            completion_tokens=usage.completion_tokens,
            prompt_tokens=usage.prompt_tokens,
            prompt_cached_tokens=usage.prompt_cached_tokens,
            cache_creation_tokens=usage.cache_creation_tokens,
            reasoning_tokens=usage.reasoning_tokens,
            total_tokens=usage.total_tokens,
            tokens_per_second=0.0,
            metadata=candidate.metadata,
        )
        self.emit("metrics_collected", metrics)

    def may_ask_again(self, turn: int, failed: FailedAttempt[LanguageModel] | None) -> bool:
        """No model has answered. Returns whether the caller is asked to say it again; otherwise
        the call ends."""
        if self._turns.unanswered(turn) < MOST_UNANSWERED_TURNS:
            if failed is not None:
                self.serving.gives_up(failed, asyncio.get_running_loop().time())
            return True
        if not self._is_exhausted:
            self._is_exhausted = True
            why = "no model can run here"
            if failed is not None:
                last = f"{failed.candidate.name}: {failed.why}"
                why = f"no model answered in two turns, at last {last}"
            self._reports.exhausted("llm", why)
        return False

    def _built(self, candidate: Candidate[LanguageModel]) -> LanguageModel:
        """Its model, whose usage is reported under the plan's names from now on.

        Raises ``ProviderUnavailable``.
        """
        model = self._candidates.model(candidate)
        if candidate not in self._forwarded:
            self._forwarded.add(candidate)
            told = {"metadata": candidate.metadata, **_NO_TOKENS}

            def forward(metrics: LLMMetrics) -> None:
                self.emit("metrics_collected", metrics.model_copy(update=told))

            model.on("metrics_collected", forward)
        return model


class _SupervisedStream(llm.LLMStream):
    """Hands on the chunks of ``answer`` as they come. The engine's own stream would add two tasks
    and a queue, which the models' streams have already. So its constructor is not called, and
    nothing that needs it is inherited."""

    def __init__(self, supervised: SupervisedLLM, request: LLMRequest) -> None:
        self._chat_ctx = request.chat_ctx
        self._tools = request.tools
        self._chunks: AsyncGenerator[llm.ChatChunk, None] = answer(supervised, request)

    async def _run(self) -> None:
        raise NotImplementedError("the models' streams run")

    def __anext__(self) -> Coroutine[Any, Any, llm.ChatChunk]:
        return self._chunks.__anext__()

    async def aclose(self) -> None:
        await self._chunks.aclose()
