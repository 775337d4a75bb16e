"""What is looked up is data: whatever a source says, an agent's tools, transfers and secrets stay
as its owner set them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from livekit.agents import AgentSession, llm

from contracts.agent_config import AgentConfig
from outbound.guarded_network import GuardedNetwork
from outbound.policy import OutboundPolicy
from pipelines.engine.barge_in import BargeIn
from pipelines.engine.call_agent import CallAgent
from pipelines.engine.knowledge.lookup import as_data
from pipelines.engine.overlapping_speech import OverlappingSpeech
from pipelines.engine.playbook_llm import PlaybookLLM
from pipelines.engine.tools.call_tools import CallTools
from pipelines.settings import ProviderSettings
from pipelines.texts.model_commands import is_command
from tests.pipelines.engine.actions import NotedActions
from tests.pipelines.engine.echo_llm import EchoLLM
from tests.pipelines.engine.knowledge.attacks import ATTACKS, FACT, SECRET
from tests.pipelines.engine.knowledge.sources import lookup
from tests.pipelines.plans import call_plan

QUESTION = "Where is the parking?"
OWNER = {
    "type": "transfer",
    "name": "transfer_to_owner",
    "description": "Connects the caller with the owner.",
    "to": "+4930123456",
}
AGENT = AgentConfig.model_validate(
    {
        "name": "Ada",
        "system_prompt": "You answer the telephone of a hotel.",
        "playbook": {"opener": "Hello.", "fallbackCTA": "I do not know that."},
        "tools": [OWNER],
    }
)


class NotingLLM(EchoLLM):
    """Notes what it is asked with."""

    def __init__(self) -> None:
        super().__init__("Thank you.")
        self.asked: list[tuple[llm.ChatContext, list[llm.Tool]]] = []

    def chat(self, *, chat_ctx: llm.ChatContext, tools: Any = None, **options: Any) -> Any:
        self.asked.append((chat_ctx.copy(), list(tools or [])))
        return super().chat(chat_ctx=chat_ctx, tools=tools, **options)


class Talk:
    """A conversation in writing, with an agent that has ``passages``."""

    def __init__(self, actions: NotedActions, model: llm.LLM[Any], *passages: str) -> None:
        plan = call_plan(AGENT, variables={"door_code": SECRET})
        tools = CallTools(plan, ProviderSettings(), GuardedNetwork(OutboundPolicy()), actions)
        self.session = AgentSession[None](llm=model)
        self.agent = CallAgent(
            plan,
            actions,
            tools.of_engine(),
            OverlappingSpeech(BargeIn()),
            knowledge=lookup(actions, *passages) if passages else None,
        )

    async def __aenter__(self) -> Talk:
        await self.session.start(self.agent)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.session.aclose()

    async def says(self, words: str) -> str:
        await self.session.run(user_input=words)
        last = [item for item in self.session.history.items if item.type == "message"][-1]
        return last.text_content or ""


@pytest.fixture
async def asked_without() -> tuple[llm.ChatContext, list[llm.Tool]]:
    """What a model is asked with if there is no source."""
    model = NotingLLM()
    async with Talk(NotedActions(), model) as talk:
        await talk.says(QUESTION)
    return model.asked[0]


def roles_and_texts(context: llm.ChatContext) -> list[tuple[str, str]]:
    return [(each.role, each.text_content or "") for each in context.messages()]


def names(tools: list[llm.Tool]) -> list[str]:
    return sorted(each.id for each in tools)


def test_there_are_twenty_attacks() -> None:
    assert len(ATTACKS) >= 20


@pytest.mark.parametrize("attack", ATTACKS.values(), ids=ATTACKS)
async def test_a_model_is_asked_with_the_same_rules_and_tools_and_the_attack_as_data(
    attack: str, asked_without: tuple[llm.ChatContext, list[llm.Tool]]
) -> None:
    actions, model = NotedActions(), NotingLLM()
    async with Talk(actions, model, attack, FACT) as talk:
        found = await lookup(actions, attack, FACT).find(QUESTION)
        assert attack in {each.passage.text for each in found}
        await talk.says(QUESTION)
        await talk.says("Thanks, that was all")
    (first, tools), (second, later_tools) = model.asked
    known = roles_and_texts(asked_without[0])
    added = [each for each in roles_and_texts(first) if each not in known]
    assert added == [("system", as_data(found))]
    assert [each for each in roles_and_texts(first) if each in known] == known
    assert attack in {each["text"] for each in json.loads(added[0][1].partition("\n")[2])}
    assert names(tools) == names(later_tools) == names(asked_without[1])
    assert all(as_data(found) != text for _, text in roles_and_texts(second))
    assert SECRET not in str(roles_and_texts(first))


@pytest.mark.parametrize("attack", ATTACKS.values(), ids=ATTACKS)
async def test_a_playbook_neither_obeys_nor_quotes_what_is_meant_for_a_model(attack: str) -> None:
    actions = NotedActions()
    playbook = PlaybookLLM(AGENT, {"door_code": SECRET}, actions)
    async with Talk(actions, playbook, attack, FACT) as talk:
        answers = [await talk.says(QUESTION), await talk.says("And what does parking cost?")]
    assert (actions.ended, actions.transfers, actions.digits, actions.takeovers) == (0, [], [], [])
    assert not any(is_command(answer) or set(answer) & set("{}<>") for answer in answers)
    assert SECRET not in " ".join(answers)
    assert FACT in answers[1]
