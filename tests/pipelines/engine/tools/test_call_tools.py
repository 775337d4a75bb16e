"""A language model uses its agent's tools during a conversation."""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from typing import Any

import httpx2
import pytest
from cryptography.fernet import Fernet
from livekit.agents import llm

from contracts.agent_config import AgentConfig
from contracts.call_plan import ProviderChoice, ResolvedChannel
from contracts.sealing import Sealer
from outbound.guarded_network import GuardedNetwork
from pipelines.engine.shared_models import WarmModels
from pipelines.settings import ProviderSettings
from tests.pipelines.conversations import Call, conversation
from tests.pipelines.engine.agents import call_agent
from tests.pipelines.plans import LOCAL_STACK, call_plan
from tests.stand_ins.openai_wire import Answer, OpenAIWire, calls, says
from tests.stand_ins.own_tls import OwnTls
from tests.stand_ins.tenant_api import Reply, TenantApi

KEY = Fernet.generate_key().decode()
TABLE = {
    "type": "object",
    "properties": {"day": {"type": "string"}, "guests": {"type": "integer", "maximum": 8}},
    "required": ["day", "guests"],
}
ASKED = '{"day": "Tuesday", "guests": 4}'
QUESTION = "Is there a table for four on Tuesday?"
ANSWER = "Yes, there is a table at seven."


@dataclass
class Talk:
    call: Call
    model: OpenAIWire
    api: TenantApi

    async def ask(self) -> None:
        """The caller asks, and the agent's answer was played."""
        await self.call.conversation.session.generate_reply(user_input=QUESTION)

    @property
    def results(self) -> list[str]:
        """What the model was told that its tools returned."""
        messages = self.model.requests[-1]["messages"]
        return [message["content"] for message in messages if message["role"] == "tool"]


@contextlib.asynccontextmanager
async def talking(
    warm_models: WarmModels,
    tls: OwnTls,
    *replies: Reply,
    arguments: str = ASKED,
    before: str = "",
    after: str = ANSWER,
    advanced: dict[str, Any] | None = None,
    settings: dict[str, Any] | None = None,
    network: GuardedNetwork | None = None,
    **fields: Any,
) -> AsyncIterator[Talk]:
    """A model that says something, uses the tool ``look_up`` once, and says something after it."""

    def answer(request: dict[str, Any]) -> Answer:
        used = any(message["role"] == "tool" for message in request["messages"])
        return says(after) if used else calls("look_up", arguments, after_saying=before)

    async with (
        httpx2.AsyncClient() as http,
        TenantApi(replies).serving(tls.server) as api,
        OpenAIWire(answer_to=answer).serving() as wire,
    ):
        models = replace(
            warm_models,
            settings=ProviderSettings.model_validate(
                {
                    "api_keys": {"openai": "k"},
                    "base_urls": {"openai": wire.base_url},
                    "encryption_keys": (KEY,),
                }
                | (settings or {})
            ),
            http_client=http,
            tenants_network=network or tls.network,
        )
        tool = {
            "type": "call_webhook",
            "name": "look_up",
            "description": "Looks for a table of {{ place }}.",
            "url": f"{api.url}/tables",
            "parameters": TABLE,
        }
        agent = AgentConfig.model_validate(
            {"name": "Ada", "tools": [tool | fields], "advanced": advanced or {}}
        )
        openai = ResolvedChannel(primary=ProviderChoice(provider="openai", model="gpt-4.1-mini"))
        plan = call_plan(
            agent,
            stack=LOCAL_STACK.model_copy(update={"llm": openai}),
            variables={"place": "Harbour Inn"},
        )
        async with conversation(plan, models) as call:
            yield Talk(call, wire, api)


@pytest.mark.latency
async def test_the_agent_says_that_it_waits_and_then_the_answer(
    warm_models: WarmModels, tls: OwnTls
) -> None:
    slow = Reply('{"free": ["19:00"]}', delay_seconds=1.5)
    async with talking(warm_models, tls, slow, speak_while="One moment, please.") as talk:
        await talk.ask()
        said = await talk.call.messages("assistant", 2)
        assert said == ["One moment, please.", ANSWER]
        assert json.loads(talk.api.asked[0].text) == {"day": "Tuesday", "guests": 4}
        assert talk.results == ['{"free": ["19:00"]}']
        offered = talk.model.requests[0]["tools"]
        described = {each["function"]["name"]: each["function"] for each in offered}
        assert set(described) == {"end_call", "look_up"}
        assert described["look_up"]["description"] == "Looks for a table of Harbour Inn."
        assert described["look_up"]["parameters"] == TABLE


@pytest.mark.latency
async def test_a_quick_answer_needs_no_words_while_waiting(
    warm_models: WarmModels, tls: OwnTls
) -> None:
    async with talking(warm_models, tls, speak_while="One moment, please.") as talk:
        await talk.ask()
        assert await talk.call.messages("assistant", 1) == [ANSWER]


async def test_what_is_said_before_and_after_a_tool_is_one_turn(
    warm_models: WarmModels, tls: OwnTls
) -> None:
    before = "Let me have a look for you right away."
    after = f"{ANSWER} I can also offer you a seat at the bar."
    async with talking(
        warm_models, tls, before=before, after=after, advanced={"maxTurnLength": 4}
    ) as talk:
        await talk.ask()
        assert await talk.call.messages("assistant", 2) == [before, ANSWER]


async def test_arguments_that_do_not_fit_are_not_sent(warm_models: WarmModels, tls: OwnTls) -> None:
    async with talking(warm_models, tls, arguments='{"day": 2, "guests": 40}') as talk:
        await talk.ask()
        [result] = talk.results
        assert "do not fit" in result
        assert "day" in result
        assert "guests" in result
        assert talk.api.asked == []


async def test_a_failure_is_told_to_the_model_in_time(warm_models: WarmModels, tls: OwnTls) -> None:
    hangs = Reply(delay_seconds=30)
    async with talking(warm_models, tls, hangs, timeout_seconds=0.5) as talk:
        began_at = time.monotonic()
        await talk.ask()
        assert time.monotonic() - began_at < 15
        assert talk.results == ["The tool failed: no answer within 0.5 s"]


async def test_a_secret_header_is_opened_and_never_told(
    warm_models: WarmModels, tls: OwnTls
) -> None:
    sealed = {"sealed": Sealer([KEY]).seal("Bearer t0ken-of-ours"), "hint": "ours"}
    echo = Reply("you sent t0ken-of-ours")
    async with talking(warm_models, tls, echo, headers={"Authorization": sealed}) as talk:
        await talk.ask()
        assert talk.api.asked[0].headers["Authorization"] == "Bearer t0ken-of-ours"
        assert talk.results == ["you sent ••••"]


async def test_a_header_with_a_variable_is_secret_too(warm_models: WarmModels, tls: OwnTls) -> None:
    sealed = {"sealed": Sealer([KEY]).seal("Token {{ place }}"), "hint": ""}
    echo = Reply("you are at Inn, with Token Harbour Inn")
    async with talking(warm_models, tls, echo, headers={"X-Place": sealed}) as talk:
        await talk.ask()
        assert talk.api.asked[0].headers["X-Place"] == "Token Harbour Inn"
        assert talk.results == ["you are at Inn, with ••••"]


async def test_a_header_that_cannot_be_opened_stops_the_tool(
    warm_models: WarmModels, tls: OwnTls
) -> None:
    sealed = {"sealed": Sealer([KEY]).seal("Bearer x"), "hint": ""}
    other = {"encryption_keys": (Fernet.generate_key().decode(),)}
    async with talking(warm_models, tls, headers={"A": sealed}, settings=other) as talk:
        await talk.ask()
        assert talk.results == ["The tool is not available."]
        assert talk.api.asked == []
        assert [level for level, _ in talk.call.actions.lines] == ["error"]


def test_end_call_has_the_description_that_its_binding_gives() -> None:
    binding = {"type": "end_call", "description": "Hang up after the farewell."}
    agent = AgentConfig.model_validate({"name": "Ada", "tools": [binding]})
    [tool] = call_agent(call_plan(agent)).tools
    assert isinstance(tool, llm.RawFunctionTool)
    assert tool.info.raw_schema["description"] == "Hang up after the farewell."


async def test_a_caller_who_speaks_while_a_tool_is_at_work_is_told_its_result_later(
    warm_models: WarmModels, tls: OwnTls
) -> None:
    slow = Reply('{"free": ["19:00"]}', delay_seconds=8.0)
    async with talking(warm_models, tls, slow, timeout_seconds=20) as talk:

        def answer(request: dict[str, Any]) -> Answer:
            results = [each["content"] for each in request["messages"] if each["role"] == "tool"]
            if not results:
                return calls("look_up", ASKED)
            return says(ANSWER if "19:00" in results[-1] else "I am still looking.")

        talk.model.answer_to = answer
        session = talk.call.conversation.session
        session.generate_reply(user_input=QUESTION)
        await talk.call.audio.until(lambda: bool(talk.api.asked))
        await session.interrupt()
        await session.generate_reply(user_input="Are you still there?")
        assert await talk.call.messages("assistant", 2) == ["I am still looking.", ANSWER]
        assert len(talk.api.asked) == 1
