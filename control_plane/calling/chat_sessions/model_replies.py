"""Replies of an agent's language model, which may use tools before it says them."""

from __future__ import annotations

from contracts.tool_bindings import END_CALL
from control_plane.calling.chat_sessions.chat_agent import ChatAgent
from control_plane.calling.chat_sessions.chat_model import ChatModel, no_words
from control_plane.calling.chat_sessions.completions import (
    WantedTool,
    history,
    offered_tools,
    uses_told,
    wanted_tools,
)
from control_plane.calling.chat_sessions.conversation import Messages, ToolUse
from control_plane.calling.chat_sessions.replies import AgentReply
from control_plane.calling.chat_sessions.tool_runs import ToolRuns
from pipelines.texts.claims.check import ClaimCheck
from pipelines.texts.claims.prohibited import ProhibitedClaims
from pipelines.texts.phrases import no_promise
from pipelines.texts.templates.template import fill_template

MOST_ROUNDS = 4
"""How often a model may use tools before it has to have said something."""
MOST_TOOLS_AT_ONCE = 4


async def model_reply(
    agent: ChatAgent, messages: Messages, model: ChatModel, tools: ToolRuns
) -> AgentReply:
    """The reply to the last of ``messages``.

    Raises:
        ModelFailed: the model gave no answer, or nothing but uses of tools.
    """
    told = history(messages)
    offered = [tool["function"]["name"] for tool in offered_tools(agent)]
    said: list[str] = []
    for _ in range(MOST_ROUNDS):
        answer = await model.answer(agent, told)
        said.append(answer.text.strip())
        wanted = wanted_tools(answer, offered)[:MOST_TOOLS_AT_ONCE]
        if any(tool.name == END_CALL for tool in wanted):
            return _reply(agent, said, ends_chat=True)
        if not wanted:
            break
        done = await _used(wanted, tools)
        told += uses_told(answer, done)
    return _reply(agent, said, ends_chat=False)


async def _used(wanted: list[WantedTool], tools: ToolRuns) -> list[tuple[WantedTool, ToolUse]]:
    return [(tool, await tools.use(tool.name, tool.arguments)) for tool in wanted]


def _reply(agent: ChatAgent, said: list[str], *, ends_chat: bool) -> AgentReply:
    text = _allowed(agent, " ".join(part for part in said if part))
    if not text and not ends_chat:
        raise no_words()
    return AgentReply(text, ends_chat)


def _allowed(agent: ChatAgent, text: str) -> str:
    """``text`` without what the agent must not claim, as in a call."""
    claims = fill_template(agent.config.advanced.prohibited_claims or "", agent.variables)
    check = ClaimCheck(ProhibitedClaims(claims), no_promise(agent.locale), lambda claim: None)
    return "".join([*check.take(text), *check.rest()]).strip()
