"""The playbook engine behind livekit-agents' language model interface."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date
from typing import Any

from livekit.agents import llm, utils
from livekit.agents.types import (
    DEFAULT_API_CONNECT_OPTIONS,
    NOT_GIVEN,
    APIConnectOptions,
    NotGivenOr,
)

from contracts.agent_config import AgentConfig
from pipelines.engine.call_actions import CallActions
from pipelines.playbook.dialogue_plan import dialogue_plan
from pipelines.playbook.history import Turn, fold
from pipelines.playbook.policy import Policy
from pipelines.playbook.state import Reply
from pipelines.playbook.values.recognition import Place

END_CALL_TOOL = "end_call"
_SENTENCE = re.compile(r".+?[.!?]+(?=\s|$)\s*|.+$", re.DOTALL)


class PlaybookLLM(llm.LLM[Any]):
    """Answers by the agent's playbook instead of by a language model.

    ``variables`` are the call's, ``locale`` the language of the call (the agent's own if None) and
    ``today`` the day that "tomorrow" is counted from; it is read once, so that a call across
    midnight keeps its meaning.

    Slot values are reported to ``actions`` once the caller has begun to hear the reply that took
    them in, that is with the next request or at :meth:`aclose`. A reply that was generated ahead of
    the end of a turn and thrown away therefore reports nothing: its words may have been the first
    half of another sentence ("Tuesday … no, Wednesday").
    """

    def __init__(
        self,
        agent: AgentConfig,
        variables: Mapping[str, object],
        actions: CallActions,
        *,
        locale: str | None = None,
        today: Callable[[], date] = date.today,
    ) -> None:
        super().__init__()
        place = Place(today(), _region(locale or agent.language))
        self._policy = Policy(dialogue_plan(agent, variables, locale), place)
        self._actions = actions
        self._slots_reported: Mapping[str, str] = {}
        self._replies_reported = 0
        self._last_request: llm.ChatContext | None = None

    @property
    def model(self) -> str:
        return "playbook"

    @property
    def provider(self) -> str:
        return "local"

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
        self._last_request = chat_ctx
        return _PlaybookStream(
            self, chat_ctx=chat_ctx, tools=tools or [], conn_options=conn_options
        )

    def respond(self, chat_ctx: llm.ChatContext) -> Reply:
        """The reply to the last words in ``chat_ctx``: the same however often it is asked for.
        What the history has settled by then is reported to the call."""
        dialogue = fold(self._policy, turns(chat_ctx))
        self._report(dialogue.settled_replies)
        return dialogue.reply

    def _report(self, settled: Sequence[Reply]) -> None:
        # A request may be made ahead of time, without the agent's latest words: nothing new then.
        if len(settled) <= self._replies_reported:
            return
        for reply in settled[self._replies_reported :]:
            if reply.note:
                self._actions.log("info", reply.note)
        self._replies_reported = len(settled)
        if settled[-1].slots != self._slots_reported:
            self._slots_reported = settled[-1].slots
            self._actions.collected_slots(dict(settled[-1].slots))

    async def aclose(self) -> None:
        if self._last_request is not None:
            # No further request will settle the last reply.
            dialogue = fold(self._policy, turns(self._last_request))
            self._report((*dialogue.settled_replies, dialogue.reply))
            self._last_request = None
        await super().aclose()


class _PlaybookStream(llm.LLMStream):
    """One reply: its sentences one by one, then the tool call, then the usage."""

    def __init__(
        self,
        playbook: PlaybookLLM,
        *,
        chat_ctx: llm.ChatContext,
        tools: list[llm.Tool],
        conn_options: APIConnectOptions,
    ) -> None:
        super().__init__(playbook, chat_ctx=chat_ctx, tools=tools, conn_options=conn_options)
        self._playbook = playbook

    async def _run(self) -> None:
        reply = self._playbook.respond(self._chat_ctx)
        request_id = utils.shortuuid("playbook_")
        for part in sentences(reply.text):
            delta = llm.ChoiceDelta(role="assistant", content=part)
            self._event_ch.send_nowait(llm.ChatChunk(id=request_id, delta=delta))
        if reply.end_call:
            call = llm.FunctionToolCall(
                name=END_CALL_TOOL, arguments="{}", call_id=utils.shortuuid("call_")
            )
            delta = llm.ChoiceDelta(role="assistant", tool_calls=[call])
            self._event_ch.send_nowait(llm.ChatChunk(id=request_id, delta=delta))
        usage = _usage(self._chat_ctx, reply)
        self._event_ch.send_nowait(llm.ChatChunk(id=request_id, usage=usage))


def turns(chat_ctx: llm.ChatContext) -> Iterator[Turn]:
    """What caller and agent said; instructions and tool calls are no part of the dialogue."""
    for item in chat_ctx.items:
        if isinstance(item, llm.ChatMessage) and item.role in ("user", "assistant"):
            speaker: Any = "caller" if item.role == "user" else "agent"
            yield Turn(speaker, item.text_content or "", item.interrupted)


def sentences(text: str) -> Iterable[str]:
    """The text in pieces that can be spoken while the next is on its way; nothing is lost."""
    return (match[0] for match in _SENTENCE.finditer(text))


def _usage(chat_ctx: llm.ChatContext, reply: Reply) -> llm.CompletionUsage:
    """Counted in words: the engine has no tokens."""
    asked = sum(len((m.text_content or "").split()) for m in chat_ctx.messages())
    answered = len(reply.text.split())
    return llm.CompletionUsage(
        completion_tokens=answered, prompt_tokens=asked, total_tokens=asked + answered
    )


def _region(locale: str) -> str | None:
    """``en-US`` → ``US``."""
    return next((part for part in locale.split("-")[1:] if len(part) == 2), "").upper() or None
