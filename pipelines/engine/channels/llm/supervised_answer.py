"""One answer, made by the first language model that can, and finished by the next if it breaks
off."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from livekit.agents import llm, utils

from pipelines.engine.channels.llm.given_answer import GivenAnswer
from pipelines.engine.channels.llm.llm_attempt import LLMAttempt
from pipelines.engine.channels.model_failure import ModelFailed
from pipelines.engine.channels.serving_model import FailedAttempt

if TYPE_CHECKING:
    from pipelines.engine.channels.llm.supervised_llm import SupervisedLLM

MOST_UNANSWERED_TURNS = 2
"""Then the call ends: asking the caller to say it again once more would be of no use."""


@dataclass(frozen=True)
class LLMRequest:
    chat_ctx: llm.ChatContext
    tools: list[llm.Tool]
    options: dict[str, Any]
    """Other arguments of ``LLM.chat``."""

    @property
    def turn(self) -> int:
        """The number of the caller's turn that it belongs to."""
        return sum(message.role == "user" for message in self.chat_ctx.messages())


async def answer(
    supervised: SupervisedLLM, request: LLMRequest
) -> AsyncGenerator[llm.ChatChunk, None]:
    """The chunks that the engine gets.

    A model that cannot be asked, is late, breaks off or says nothing is replaced by the next one.
    None is replaced once a tool call has gone out: what it would still have said is left out.
    """
    now = asyncio.get_running_loop().time
    given = GivenAnswer()
    failed: FailedAttempt[llm.LLM[Any]] | None = None
    waits_since = now()
    for candidate in supervised.usable():
        asked_at = now()
        supervised.serving.asks(candidate, failed, asked_at)
        attempt: LLMAttempt | None = None
        try:
            attempt = supervised.ask(candidate, request, given, asked_at - waits_since)
            while (chunk := await attempt.next()) is not None:
                if (part := given.take(chunk)) is not None:
                    yield part
                    waits_since = now()
            if not attempt.has_answered and not (given.text and given.may_end):
                raise attempt.empty()
            if rest := given.rest():
                yield _words(rest)
            return
        except ModelFailed as failure:
            failed = supervised.failed(candidate, failure, asked_at)
            if attempt is not None:
                await attempt.take_the_rest()
                supervised.used(candidate, attempt)
                supervised.closing.close(attempt)
                attempt = None
            if given.has_called_tool:
                return
        finally:
            if attempt is not None:
                # The answer is over, or the engine does not want the rest of it.
                try:
                    await attempt.take_the_rest()
                finally:
                    supervised.used(candidate, attempt)
                    if attempt.has_answered:
                        supervised.answered(candidate)
                    await supervised.closing.closed(attempt)
    if supervised.may_ask_again(request.turn, failed):
        yield _words(given.apart(supervised.say_again))


def _words(text: str) -> llm.ChatChunk:
    delta = llm.ChoiceDelta(role="assistant", content=text)
    return llm.ChatChunk(id=utils.shortuuid("words_"), delta=delta)
