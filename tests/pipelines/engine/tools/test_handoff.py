"""An agent lets another one take over in the middle of a conversation."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

import httpx2
from livekit.agents import Agent

from contracts.agent_config import AgentConfig
from contracts.call_plan import CallPlan, PlannedAgent, ProviderChoice, ResolvedChannel
from contracts.tool_bindings import Handoff
from outbound.guarded_network import GuardedNetwork
from outbound.policy import OutboundPolicy
from pipelines.engine.providers.local import provider as local
from pipelines.engine.shared_models import WarmModels
from pipelines.engine.tools.call_tools import CallTools
from pipelines.settings import ProviderSettings
from pipelines.texts.prompt import compile_prompt
from tests.pipelines.conversations import Call, conversation
from tests.pipelines.engine.actions import NotedActions
from tests.pipelines.engine.speech import spoken
from tests.pipelines.plans import LOCAL_STACK, call_plan
from tests.stand_ins.mcp_server import McpServer, Odd
from tests.stand_ins.openai_wire import Answer, OpenAIWire, calls, says
from tests.stand_ins.own_tls import OwnTls

DESK, SALES = UUID(int=3), UUID(int=30)
QUESTION = "I would like to buy a boat."
MESSAGE = "One moment, Ann, I will get a colleague."
PITCH = "Sales here, which boat would you like?"
OPENAI = ResolvedChannel(primary=ProviderChoice(provider="openai", model="gpt-4.1-mini"))
OTHER_MODEL = ResolvedChannel(primary=ProviderChoice(provider="openai", model="gpt-4.1"))
OTHER_VOICE = ResolvedChannel(
    primary=ProviderChoice(provider="local", model=local.ANY_LANGUAGE_VOICE_MODEL, voice="en-us")
)
DESK_STACK = LOCAL_STACK.model_copy(update={"llm": OPENAI})
SALES_STACK = LOCAL_STACK.model_copy(update={"llm": OTHER_MODEL, "tts": OTHER_VOICE})


def handoff(to: UUID, name: str, **fields: Any) -> dict[str, Any]:
    tool = {"type": "handoff", "name": name, "description": "Takes over.", "agent_id": str(to)}
    return tool | fields


def agent(name: str, *tools: dict[str, Any], **fields: Any) -> AgentConfig:
    raw = {"system_prompt": f"You are {name}.", "advanced": {"prompt_mode": "raw"}}
    return AgentConfig.model_validate({"name": name, "tools": tools} | raw | fields)


TO_SALES = handoff(SALES, "to_sales", message="One moment, {{ customer }}, I will get a colleague.")
TO_DESK = handoff(DESK, "to_desk")


def planned(config: AgentConfig, agent_id: UUID = SALES, stack: Any = SALES_STACK) -> PlannedAgent:
    return PlannedAgent(
        agent_id=agent_id,
        agent_version=1,
        agent=config,
        compiled_prompt=compile_prompt(config, {}),
        locale="en-US",
        stack=stack,
        prices=(),
    )


def plan_of(desk: AgentConfig, *others: PlannedAgent) -> CallPlan:
    plan = call_plan(desk, stack=DESK_STACK, variables={"customer": "Ann"})
    return plan.model_copy(update={"handoffs": others})


@dataclass
class Talk:
    call: Call
    model: OpenAIWire

    async def ask(self, text: str = QUESTION) -> None:
        await self.call.conversation.session.generate_reply(user_input=text)

    async def said(self, count: int) -> list[str]:
        return await self.call.messages("assistant", count)


@contextlib.asynccontextmanager
async def talking(
    warm_models: WarmModels,
    plan: CallPlan,
    answer: Callable[[dict[str, Any]], Answer],
    network: GuardedNetwork | None = None,
) -> AsyncIterator[Talk]:
    async with httpx2.AsyncClient() as http, OpenAIWire(answer_to=answer).serving() as wire:
        settings = ProviderSettings(api_keys={"openai": "k"}, base_urls={"openai": wire.base_url})
        models = replace(
            warm_models,
            settings=settings,
            http_client=http,
            tenants_network=network or warm_models.tenants_network,
        )
        async with conversation(plan, models) as call:
            yield Talk(call, wire)


def prompt_of(request: dict[str, Any]) -> str:
    return str(next(each["content"] for each in request["messages"] if each["role"] == "system"))


def offered(request: dict[str, Any]) -> set[str]:
    return {each["function"]["name"] for each in request["tools"]}


def called(request: dict[str, Any]) -> list[str]:
    """The tools that were used so far, as the model is told."""
    return [
        each["function"]["name"]
        for message in request["messages"]
        for each in message.get("tool_calls", ())
    ]


def crm(server: McpServer) -> dict[str, Any]:
    return {"type": "mcp", "name": "crm", "url": server.url}


def hands_over(request: dict[str, Any]) -> Answer:
    """The desk calls its tool at once, sales makes its pitch."""
    if "You are Desk." in prompt_of(request):
        return calls("to_sales")
    return says(PITCH)


async def test_the_next_agent_goes_on_with_its_own_prompt_voice_and_tools(
    warm_models: WarmModels,
) -> None:
    plan = plan_of(agent("Desk", TO_SALES), planned(agent("Sales", TO_DESK)))
    async with talking(warm_models, plan, hands_over) as talk:
        await talk.ask()
        assert await talk.said(2) == [MESSAGE, PITCH]
        desk, sales = talk.model.requests
        assert (desk["model"], sales["model"]) == ("gpt-4.1-mini", "gpt-4.1")
        assert offered(desk) == {"end_call", "to_sales"}
        assert prompt_of(sales) == compile_prompt(plan.handoffs[0].agent, {})
        assert "You are Desk." not in str(sales)
        told = [(each["role"], each.get("content")) for each in sales["messages"]]
        assert ("user", QUESTION) in told
        assert ("assistant", MESSAGE) in told
        role, instruction = told[-1]
        assert role in ("system", "developer"), "models refuse to answer an agent's own words"
        assert "taken over" in instruction
        assert talk.call.actions.takeovers == [SALES]
        voices = {
            usage.model: usage.characters_count
            for usage in talk.call.conversation.session.usage.model_usage
            if usage.type == "tts_usage"
        }
        assert voices == {"hibari-en": len(MESSAGE), local.ANY_LANGUAGE_VOICE_MODEL: len(PITCH)}


async def test_the_model_is_told_when_to_hand_over(warm_models: WarmModels) -> None:
    tool = TO_SALES | {"description": "When {{ customer }} wants to buy."}
    plan = plan_of(agent("Desk", tool), planned(agent("Sales")))
    async with talking(warm_models, plan, hands_over) as talk:
        await talk.ask()
        described = {
            each["function"]["name"]: each["function"] for each in talk.model.requests[0]["tools"]
        }
        assert described["to_sales"]["description"] == "When Ann wants to buy."
        assert described["to_sales"]["parameters"] == {"type": "object", "properties": {}}


async def test_the_first_words_of_the_next_agent_come_before_a_further_handoff(
    warm_models: WarmModels,
) -> None:
    plan = plan_of(agent("Desk", TO_SALES), planned(agent("Sales", TO_DESK)))
    async with talking(warm_models, plan, hands_over) as talk:
        await talk.ask()
        await talk.said(2)
        await talk.ask("Never mind.")
        await talk.said(3)
        assert offered(talk.model.requests[1]) == {"end_call"}
        assert offered(talk.model.requests[2]) == {"end_call", "to_desk"}
        assert "taken over" not in str(talk.model.requests[2]["messages"])


async def test_an_agent_may_come_back(warm_models: WarmModels) -> None:
    def answer(request: dict[str, Any]) -> Answer:
        said = str(request["messages"])
        if "You are Sales." in prompt_of(request):
            return calls("to_desk") if "Never mind." in said else says(PITCH)
        return says("Desk again.") if "Never mind." in said else calls("to_sales")

    plan = plan_of(agent("Desk", TO_SALES), planned(agent("Sales", TO_DESK)))
    async with talking(warm_models, plan, answer) as talk:
        await talk.ask()
        await talk.said(2)
        await talk.ask("Never mind.")
        assert await talk.said(3) == [MESSAGE, PITCH, "Desk again."]
        assert talk.call.actions.takeovers == [SALES, DESK]
        assert talk.model.requests[-1]["model"] == "gpt-4.1-mini"


async def test_what_tools_have_returned_is_known_to_the_next_agent(
    warm_models: WarmModels,
) -> None:
    plan = plan_of(agent("Desk", TO_SALES), planned(agent("Sales")))
    async with talking(warm_models, plan, hands_over) as talk:
        await talk.ask()
        await talk.said(2)
        assert called(talk.model.requests[1]) == ["to_sales"]


async def test_the_tools_of_the_next_agents_servers_are_there_for_its_first_answer(
    warm_models: WarmModels, tls: OwnTls
) -> None:
    async with McpServer().serving(tls.server) as server:
        plan = plan_of(agent("Desk", TO_SALES), planned(agent("Sales", crm(server))))
        async with talking(warm_models, plan, hands_over, tls.network) as talk:
            await talk.ask()
            await talk.said(2)
            first = talk.model.requests[1]
            assert offered(first) == {"end_call", "crm_find_table"}
            assert called(first) == ["to_sales"], "what other agents used is still known"


async def test_an_agent_that_takes_over_without_a_word_waits_a_moment_for_its_servers(
    warm_models: WarmModels, tls: OwnTls
) -> None:
    async with McpServer(odd={"tools/list": Odd(delay_seconds=0.5)}).serving(tls.server) as server:
        desk = agent("Desk", handoff(SALES, "to_sales"))
        plan = plan_of(desk, planned(agent("Sales", crm(server))))
        async with talking(warm_models, plan, hands_over, tls.network) as talk:
            await talk.ask()
            assert await talk.said(1) == [PITCH]
            assert offered(talk.model.requests[1]) == {"end_call", "crm_find_table"}


async def test_tools_that_a_server_lists_after_the_handoff_are_not_the_next_agents(
    warm_models: WarmModels, tls: OwnTls
) -> None:
    slow = McpServer(odd={"tools/list": Odd(delay_seconds=3)})
    async with slow.serving(tls.server) as server:
        desk = agent("Desk", handoff(SALES, "to_sales"), crm(server))
        plan = plan_of(desk, planned(agent("Sales")))
        async with talking(warm_models, plan, hands_over, tls.network) as talk:
            await talk.ask()
            await talk.said(1)
            lines = talk.call.actions.lines
            await talk.call.audio.until(lambda: any("MCP server crm" in line for _, line in lines))
            await talk.ask("Never mind.")
            await talk.said(2)
            assert offered(talk.model.requests[-1]) == {"end_call"}


async def test_an_agent_without_its_models_leaves_the_call_to_the_present_one(
    warm_models: WarmModels,
) -> None:
    def answer(request: dict[str, Any]) -> Answer:
        results = [each for each in request["messages"] if each["role"] == "tool"]
        return says(f"Sorry. {results[-1]['content']}") if results else calls("to_sales")

    nobody = ResolvedChannel(primary=ProviderChoice(provider="deepgram", model="nova-3"))
    stack = LOCAL_STACK.model_copy(update={"stt": nobody})
    german = planned(agent("Sales"), stack=stack).model_copy(update={"locale": "de-DE"})
    plan = plan_of(agent("Desk", TO_SALES), german)
    async with talking(warm_models, plan, answer) as talk:
        await talk.ask()
        [said] = await talk.said(1)
        assert said.startswith("Sorry. The other agent is not available.")
        assert talk.call.actions.takeovers == []
        [(level, line)] = talk.call.actions.lines
        assert level == "error"
        assert line.startswith("Sales could not take over: ")
        await talk.ask("Hello?")
        assert "You are Desk." in prompt_of(talk.model.requests[-1])


async def test_one_answer_hands_over_to_one_agent(warm_models: WarmModels) -> None:
    other = UUID(int=31)

    def answer(request: dict[str, Any]) -> Answer:
        if "You are Desk." in prompt_of(request):
            both = (("to_sales", "{}"), ("to_other", "{}"))
            return Answer(tool_calls=both, finish_reason="tool_calls")
        return says(PITCH)

    plan = plan_of(
        agent("Desk", TO_SALES, handoff(other, "to_other")),
        planned(agent("Sales")),
        planned(agent("Other"), other),
    )
    async with talking(warm_models, plan, answer) as talk:
        await talk.ask()
        await talk.call.audio.until(lambda: bool(talk.call.actions.takeovers))
        assert len(talk.call.actions.takeovers) == 1
        await talk.call.audio.until(lambda: PITCH in talk.call.said_by("assistant"))


async def test_a_playbook_that_takes_over_begins_with_its_own_opener(
    warm_models: WarmModels,
) -> None:
    opener = "Hello from sales. Which boat would you like?"
    sales = agent("Sales", playbook={"opener": opener})
    plan = plan_of(agent("Desk", TO_SALES), planned(sales, stack=LOCAL_STACK))
    async with talking(warm_models, plan, hands_over) as talk:
        await talk.ask()
        assert await talk.said(2) == [MESSAGE, opener]


async def test_what_was_said_before_a_handoff_does_not_shorten_the_next_agents_turn(
    warm_models: WarmModels,
) -> None:
    tool = TO_SALES | {"message": "I do not know much about boats, so I will get a colleague. " * 3}
    sales = agent("Sales", advanced={"prompt_mode": "raw", "maxTurnLength": 6})
    pitch = "I sell boats. Which one would you like?"

    def answer(request: dict[str, Any]) -> Answer:
        return calls("to_sales") if "You are Desk." in prompt_of(request) else says(pitch)

    async with talking(warm_models, plan_of(agent("Desk", tool), planned(sales)), answer) as talk:
        await talk.ask()
        assert (await talk.said(2))[-1] == pitch


async def test_each_agent_says_words_as_it_pronounces_them(warm_models: WarmModels) -> None:
    spelled = {"pronunciations": [{"word": "boat", "say_as": "bote"}]}
    sales = agent("Sales", advanced={"prompt_mode": "raw"} | spelled)
    plan = plan_of(agent("Desk", TO_SALES), planned(sales))
    async with talking(warm_models, plan, hands_over) as talk:
        assert await talk.call.conversation._as_spoken("A boat.") == "A boat."
        await talk.ask()
        await talk.said(2)
        assert await talk.call.conversation._as_spoken("A boat.") == "A bote."


async def test_the_platforms_sentences_wait_for_the_next_agent(warm_models: WarmModels) -> None:
    plan = plan_of(agent("Desk", TO_SALES), planned(agent("Sales")))
    async with talking(warm_models, plan, hands_over) as talk:
        asking = talk.call.conversation.session.generate_reply(user_input=QUESTION)
        await talk.call.audio.until(lambda: MESSAGE in talk.call.said_by("assistant"))
        await talk.call.conversation.say("Are you still there?")
        await asking
        assert set(await talk.said(3)) == {MESSAGE, PITCH, "Are you still there?"}


async def test_a_caller_who_speaks_meanwhile_does_not_undo_a_handoff(
    warm_models: WarmModels,
) -> None:
    plan = plan_of(agent("Desk", TO_SALES), planned(agent("Sales")))
    async with talking(warm_models, plan, hands_over) as talk:
        asking = talk.call.conversation.session.generate_reply(user_input=QUESTION)
        await talk.call.audio.until(
            lambda: talk.call.conversation.session.agent_state == "speaking"
        )
        talk.call.audio.mouth.say(spoken("Wait!"))
        await asking
        assert (await talk.said(2))[:2] == [MESSAGE, PITCH]
        assert talk.call.actions.takeovers == [SALES]


async def test_a_handoff_that_was_silenced_can_be_tried_again(warm_models: WarmModels) -> None:
    plan = plan_of(agent("Desk", TO_SALES), planned(agent("Sales")))
    async with talking(warm_models, plan, hands_over) as talk:
        session = talk.call.conversation.session
        asking = session.generate_reply(user_input=QUESTION)
        await talk.call.audio.until(lambda: session.agent_state == "speaking")
        await session.interrupt(force=True)
        await asking
        assert talk.call.actions.takeovers == []
        await talk.ask("Hello?")
        await talk.call.audio.until(lambda: PITCH in talk.call.said_by("assistant"))
        assert talk.call.actions.takeovers == [SALES]


def test_a_tool_to_an_agent_that_the_plan_lacks_is_not_offered() -> None:
    async def never(_: Handoff) -> Agent:
        raise NotImplementedError

    desk = agent("Desk", TO_SALES, handoff(UUID(int=99), "to_nobody"), handoff(DESK, "to_myself"))
    plan = plan_of(desk, planned(agent("Sales")))
    network = GuardedNetwork(OutboundPolicy())
    tools = CallTools(plan, ProviderSettings(), network, NotedActions(), never).of_engine()
    assert [tool.id for tool in tools] == ["end_call", "to_sales"]
