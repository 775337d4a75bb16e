"""A reply of the playbook costs what its own turn costs, however long the chat is."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Literal
from uuid import uuid4

import pytest

from contracts.agent_config import AgentConfig
from contracts.call_plan import ProviderChoice, ResolvedChannel
from control_plane.calling.chat_sessions.chat_agent import ChatAgent
from control_plane.calling.chat_sessions.conversation import ChatMessage
from control_plane.calling.chat_sessions.playbook_replies import Dialogues
from pipelines.playbook.policy import Policy
from pipelines.playbook.state import Reply, State
from tests.control_plane.calling.chat_sessions.chatting import CLINIC

CHAT = uuid4()
SAID = ("Hi, I need an appointment.", "Anna Smith", "How long are you open?", "555 0199", "Yes.")


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What the policy was asked."""
    asked: list[str] = []
    step = Policy.step

    def noted(policy: Policy, state: State, utterance: str) -> tuple[State, Reply]:
        asked.append(utterance)
        return step(policy, state, utterance)

    monkeypatch.setattr(Policy, "step", noted)
    return asked


def agent() -> ChatAgent:
    return ChatAgent(
        tenant_id=uuid4(),
        config=AgentConfig.model_validate(CLINIC),
        compiled_prompt="",
        locale="en-US",
        llm=ResolvedChannel(primary=ProviderChoice(provider="local", model="playbook")),
        variables={},
        began_on=date(2026, 11, 29),
        runs_tools=False,
    )


def message(role: Literal["caller", "agent"], text: str) -> ChatMessage:
    return ChatMessage(role=role, text=text, created_at=datetime.now(UTC))


async def chatted(each: Dialogues) -> tuple[ChatMessage, ...]:
    messages = (message("agent", CLINIC["playbook"]["opener"]),)
    mia = agent()
    for said in SAID:
        messages = (*messages, message("caller", said))
        messages = (*messages, message("agent", (await each.reply(CHAT, mia, messages)).text))
    return messages


async def test_a_reply_asks_the_policy_for_its_own_turn_only(steps: list[str]) -> None:
    dialogues = Dialogues()
    messages = await chatted(dialogues)
    steps.clear()
    last = "Thank you, goodbye."
    await dialogues.reply(CHAT, agent(), (*messages, message("caller", last)))
    assert set(steps) == {SAID[-1], last}


async def test_replies_are_those_of_a_process_that_knows_nothing_of_the_chat() -> None:
    messages = await chatted(Dialogues())
    for length in range(1, len(messages)):
        if messages[length].role == "agent":
            fresh = await Dialogues().reply(CHAT, agent(), messages[:length])
            assert fresh.text == messages[length].text


async def test_what_another_process_has_answered_counts() -> None:
    dialogues, elsewhere = Dialogues(), Dialogues()
    opener = message("agent", CLINIC["playbook"]["opener"])
    await dialogues.reply(CHAT, agent(), (opener, message("caller", SAID[0])))
    messages = (*await chatted(elsewhere), message("caller", "No, that is all."))
    assert await dialogues.reply(CHAT, agent(), messages) == await elsewhere.reply(
        CHAT, agent(), messages
    )


async def test_dialogues_are_forgotten_after_a_while(steps: list[str]) -> None:
    now = 0.0
    dialogues = Dialogues(lambda: now)
    messages = await chatted(dialogues)
    now = 601.0
    steps.clear()
    await dialogues.reply(CHAT, agent(), (*messages, message("caller", "Goodbye.")))
    assert SAID[0] in steps
