"""Replies of the playbook engine. Its state is computed from the messages, as in a call."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from uuid import UUID

from cachetools import TTLCache

from control_plane.calling.chat_sessions.chat_agent import ChatAgent
from control_plane.calling.chat_sessions.conversation import Messages, tool_uses
from control_plane.calling.chat_sessions.replies import AgentReply
from control_plane.calling.chat_sessions.tool_runs import ToolsOfTurn
from pipelines.playbook.dialogue_plan import dialogue_plan
from pipelines.playbook.history import Folding, Turn
from pipelines.playbook.policy import Policy
from pipelines.playbook.state import Reply
from pipelines.playbook.values.recognition import Place
from pipelines.texts.language import region

_MOST_DIALOGUES = 200
_KEPT_SECONDS = 600.0


class Dialogues:
    """Those of the chats that this process answered lately, so that an answer takes no longer late
    in a chat than early. What another process has answered meanwhile is made up for.

    Args:
        clock: monotonic, in seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._kept: TTLCache[UUID, Folding] = TTLCache(_MOST_DIALOGUES, _KEPT_SECONDS, clock)

    async def reply(self, chat_id: UUID, agent: ChatAgent, messages: Messages) -> Reply:
        """The reply to the last of ``messages``. ``agent`` is the same as long as the chat is."""
        # Not there for a second answer at the same time, if the first one has taken too long.
        kept = self._kept.pop(chat_id, None)
        folding, reply = await asyncio.to_thread(_reply_of_policy, kept, agent, messages)
        self._kept[chat_id] = folding
        return reply


async def playbook_reply(
    dialogues: Dialogues,
    chat_id: UUID,
    agent: ChatAgent,
    messages: Messages,
    tools: ToolsOfTurn,
    due_at: float,
) -> AgentReply:
    """The reply to the last of ``messages``.

    Args:
        due_at: by the loop's clock. What the tools have not done by then has failed.
    """
    reply = await dialogues.reply(chat_id, agent, messages)
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


def _reply_of_policy(
    kept: Folding | None, agent: ChatAgent, messages: Messages
) -> tuple[Folding, Reply]:
    folding = kept or Folding(_policy_of(agent))
    turns = (Turn(message.role, message.text) for message in messages if message.text)
    return folding, folding.dialogue(turns).reply


def _policy_of(agent: ChatAgent) -> Policy:
    plan = dialogue_plan(agent.config, agent.variables, agent.locale)
    return Policy(plan, Place(agent.began_on, region(agent.locale)))
