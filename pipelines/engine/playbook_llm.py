"""The playbook engine behind livekit-agents' language model interface."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date
from typing import Any

from livekit.agents import llm, utils
from livekit.agents.types import (
    DEFAULT_API_CONNECT_OPTIONS,
    NOT_GIVEN,
    APIConnectOptions,
    NotGivenOr,
)
from livekit.agents.voice.generation import _RUNNING_TOOL_PLACEHOLDER

from contracts.agent_config import AgentConfig
from pipelines.engine.call_actions import CallActions
from pipelines.engine.knowledge.lookup import passages_in
from pipelines.playbook.dialogue_plan import dialogue_plan
from pipelines.playbook.history import Folding, Turn
from pipelines.playbook.knowledge import sentences_of
from pipelines.playbook.policy import Policy
from pipelines.playbook.slot_tools import ToolUse
from pipelines.playbook.state import Reply
from pipelines.playbook.values.recognition import Place
from pipelines.texts.language import region
from pipelines.texts.phrases import one_moment
from pipelines.texts.utterance import MOST_CHARACTERS, parts

END_CALL_TOOL = "end_call"
_SENTENCE = re.compile(r".+?[.!?]+(?=\s|$)\s*|.+$", re.DOTALL)


class PlaybookLLM(llm.LLM[Any]):
    """Answers with the agent's playbook instead of a language model.

    Args:
        variables: those of the call.
        locale: the language of the call; the agent's own if ``None``.
        today: the day that "tomorrow" is counted from. It is read once, so that midnight changes
            nothing during a call.

    Slot values are reported to ``actions`` once the caller has begun to hear the reply to them:
    with the next request, or in ``aclose``. So a reply that was generated before the end of a turn
    and thrown away reports nothing. The caller's words may have been the first half of another
    sentence ("Tuesday … no, Wednesday").
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
        place = Place(today(), region(locale or agent.language))
        plan = dialogue_plan(agent, variables, locale)
        self._folding = Folding(Policy(plan, place))
        self._found = plan.found
        self.one_moment = one_moment(locale or agent.language)
        fillers = {tool.filler for tool in plan.tools if tool.filler}
        self._fillers = frozenset(fillers | {self.one_moment})
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
        """The reply to the last words in ``chat_ctx``; the same for each request. Reports to the
        call what the history has settled."""
        # Kept for the rest of the call: the dialogue is computed from its history again.
        new = (part for passage in passages_in(chat_ctx) for part in sentences_of(passage))
        self._found.extend(part for part in new if part not in self._found)
        dialogue = self._folding.dialogue(turns(chat_ctx, self._fillers))
        self._report(dialogue.settled_replies)
        return dialogue.reply

    def _report(self, settled: Sequence[Reply]) -> None:
        # An early request may lack the agent's latest words. Then there is nothing new to report.
        if len(settled) <= self._replies_reported:
            return
        for reply in settled[self._replies_reported :]:
            if reply.note:
                self._actions.note(reply.note)
        self._replies_reported = len(settled)
        if settled[-1].slots != self._slots_reported:
            self._slots_reported = settled[-1].slots
            self._actions.collected_slots(dict(settled[-1].slots))

    async def aclose(self) -> None:
        if self._last_request is not None:
            # No further request will settle the last reply.
            dialogue = self._folding.dialogue(turns(self._last_request, self._fillers))
            self._report((*dialogue.settled_replies, dialogue.reply))
            self._last_request = None
        await super().aclose()


class _PlaybookStream(llm.LLMStream):
    """One reply: each sentence, then the tool call, then the usage. A reply that tools come before
    is said in answer to the request that has their results."""

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
        self._items = _of_this_agent(chat_ctx)

    async def _run(self) -> None:
        reply = self._playbook.respond(self._chat_ctx)
        request_id = utils.shortuuid("playbook_")
        text, uses = self._answer(reply)
        for part in sentences(text):
            delta = llm.ChoiceDelta(role="assistant", content=part)
            self._event_ch.send_nowait(llm.ChatChunk(id=request_id, delta=delta))
        if uses:
            delta = llm.ChoiceDelta(role="assistant", tool_calls=[_tool_call(use) for use in uses])
            self._event_ch.send_nowait(llm.ChatChunk(id=request_id, delta=delta))
        usage = _usage(self._chat_ctx, text)
        self._event_ch.send_nowait(llm.ChatChunk(id=request_id, usage=usage))

    def _answer(self, reply: Reply) -> tuple[str, Sequence[ToolUse]]:
        """What is said, and what is called then."""
        if uses := self._not_yet_called(reply.tools):
            return "", uses
        if self._is_any_at_work(reply.tools):
            # The engine asks again when it has the result.
            return self._playbook.one_moment, ()
        text = reply.text
        if reply.if_failed is not None and not self._have_all_succeeded(reply.tools):
            text = reply.if_failed.text
        if reply.transfer is not None:
            if not self._was_refused(reply.transfer.name):
                return text, [reply.transfer]
            text = text if reply.if_failed is None else reply.if_failed.text
        return text, [ToolUse(END_CALL_TOOL, {})] if reply.end_call else ()

    def _not_yet_called(self, uses: Sequence[ToolUse]) -> list[ToolUse]:
        """Each tool is called once in a call: a second order would be one too many."""
        called = {item.name for item in self._items if item.type == "function_call"}
        offered = {tool.info.name for tool in self._tools if isinstance(tool, llm.RawFunctionTool)}
        return [use for use in uses if use.name in offered - called]

    def _was_refused(self, name: str) -> bool:
        """Whether the tool was called in answer to the caller's last words, and has failed."""
        for item in reversed(self._items):
            if item.type == "function_call_output" and item.name == name:
                return item.is_error
            if isinstance(item, llm.ChatMessage) and item.role == "user":
                return False
        return False

    def _is_any_at_work(self, uses: Sequence[ToolUse]) -> bool:
        """Whether one of them was called and has not answered: the caller has spoken meanwhile."""
        answered = {each.name for each in self._outputs() if not _stands_in(each)}
        at_work = {each.name for each in self._outputs()} - answered
        return any(use.name in at_work for use in uses)

    def _have_all_succeeded(self, uses: Sequence[ToolUse]) -> bool:
        succeeded = {
            each.name for each in self._outputs() if not (each.is_error or _stands_in(each))
        }
        return all(use.name in succeeded for use in uses)

    def _outputs(self) -> list[llm.FunctionCallOutput]:
        return [item for item in self._items if isinstance(item, llm.FunctionCallOutput)]


def _stands_in(output: llm.FunctionCallOutput) -> bool:
    """Whether the engine has answered for a tool that is still at work."""
    return output.output.startswith(_RUNNING_TOOL_PLACEHOLDER)


def _of_this_agent(chat_ctx: llm.ChatContext) -> list[llm.ChatItem]:
    """What was said to another agent, before it handed over, is no part of this playbook's
    dialogue, nor are the other's tools. Of this agent's own, a realtime model may have used some
    before it failed."""
    items = chat_ctx.items
    handoffs = [n for n, item in enumerate(items, start=1) if _is_from_another_agent(item)]
    return items[handoffs[-1] if handoffs else 0 :]


def _is_from_another_agent(item: llm.ChatItem) -> bool:
    return isinstance(item, llm.AgentHandoff) and item.old_agent_id != item.new_agent_id


def turns(chat_ctx: llm.ChatContext, fillers: Collection[str] = ()) -> Iterator[Turn]:
    """What caller and agent said, without instructions, tool calls, and the words that fill the
    wait for a tool."""
    for item in _of_this_agent(chat_ctx):
        if not isinstance(item, llm.ChatMessage) or item.role not in ("user", "assistant"):
            continue
        text = item.text_content or ""
        if item.role == "user":
            yield Turn("caller", text, item.interrupted)
        elif not text or not any(filler.startswith(text.strip()) for filler in fillers):
            yield Turn("agent", text, item.interrupted)


def _tool_call(use: ToolUse) -> llm.FunctionToolCall:
    return llm.FunctionToolCall(
        name=use.name, arguments=json.dumps(use.arguments), call_id=utils.shortuuid("call_")
    )


def sentences(text: str) -> Iterable[str]:
    """The text in pieces, so that one can be spoken while the next is sent. Nothing is lost."""
    # The search in one part grows with its square.
    return (match[0] for part in parts(text, MOST_CHARACTERS) for match in _SENTENCE.finditer(part))


def _usage(chat_ctx: llm.ChatContext, text: str) -> llm.CompletionUsage:
    """Usage counted in words, because the playbook engine has no tokens."""
    asked = sum(len((m.text_content or "").split()) for m in chat_ctx.messages())
    answered = len(text.split())
    return llm.CompletionUsage(
        completion_tokens=answered, prompt_tokens=asked, total_tokens=asked + answered
    )
