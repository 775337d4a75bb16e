"""Replies of the playbook engine. Its state is computed from the messages, as in a call."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress

from control_plane.calling.chat_sessions.chat_agent import ChatAgent
from control_plane.calling.chat_sessions.conversation import ChatMessage, Messages, tool_uses
from control_plane.calling.chat_sessions.replies import AgentReply
from control_plane.calling.chat_sessions.tool_runs import ToolsOfTurn
from pipelines.playbook.dialogue_plan import dialogue_plan
from pipelines.playbook.history import Turn, fold
from pipelines.playbook.policy import Policy
from pipelines.playbook.state import Reply
from pipelines.playbook.values.recognition import Place
from pipelines.texts.language import region


async def playbook_reply(
    agent: ChatAgent, messages: Messages, tools: ToolsOfTurn, due_at: float
) -> AgentReply:
    """The reply to the last of ``messages``.

    Args:
        due_at: by the loop's clock. What the tools have not done by then has failed.
    """
    # A long chat has many turns to go through again.
    reply = await asyncio.to_thread(_reply_of_policy, agent, messages)
    # Each tool is called once in a chat, as in a call: a second order would be one too many.
    used = {use.name for use in (*tool_uses(messages), *tools.used)}
    with suppress(TimeoutError):
        async with asyncio.timeout_at(due_at):
            for use in reply.tools:
                if use.name not in used:
                    await tools.use(use.name, use.arguments)
    outcomes = {use.name: use.outcome for use in (*tool_uses(messages), *tools.used)}
    has_failed = any(outcomes.get(use.name, "failed") == "failed" for use in reply.tools)
    # A chat connects nobody to a person.
    is_refused = has_failed or reply.transfer is not None
    said = reply.if_failed if is_refused and reply.if_failed is not None else reply
    return AgentReply(said.text, reply.end_call, reply.slots)


def _reply_of_policy(agent: ChatAgent, messages: Sequence[ChatMessage]) -> Reply:
    plan = dialogue_plan(agent.config, agent.variables, agent.locale)
    policy = Policy(plan, Place(agent.began_on, region(agent.locale)))
    turns = (Turn(message.role, message.text) for message in messages if message.text)
    return fold(policy, turns).reply
