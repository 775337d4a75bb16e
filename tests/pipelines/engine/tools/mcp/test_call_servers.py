"""A language model uses the tools of its agent's MCP servers during a conversation."""

from __future__ import annotations

import contextlib
import time
from collections.abc import AsyncIterator, Sequence
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
from outbound.policy import OutboundPolicy
from pipelines.engine.shared_models import WarmModels
from pipelines.engine.tools.mcp import call_servers
from pipelines.engine.tools.mcp.bound_server import BoundServer
from pipelines.engine.tools.mcp.call_servers import CallServers, ServerTool
from pipelines.settings import ProviderSettings
from tests.pipelines.conversations import Call, conversation
from tests.pipelines.engine.actions import NotedActions
from tests.pipelines.plans import LOCAL_STACK, call_plan
from tests.stand_ins.mcp_server import FREE, McpServer, Odd, text
from tests.stand_ins.openai_wire import Answer, OpenAIWire, calls, says
from tests.stand_ins.own_tls import OwnTls

KEY = Fernet.generate_key().decode()
ASKED = '{"day": "Tuesday", "guests": 4}'
QUESTION = "Is there a table for four on Tuesday?"
ANSWER = "Yes, there is a table at seven."
GREETING = "Hello there."
OFFERED = {"end_call", "crm_find_table"}


@dataclass
class Talk:
    call: Call
    model: OpenAIWire
    server: McpServer

    async def ask(self) -> None:
        """The caller asks, and the agent's answer was played."""
        await self.call.conversation.session.generate_reply(user_input=QUESTION)

    async def logged(self, words: str) -> tuple[str, str]:
        """The first event with these words, once it is there."""

        def found() -> list[tuple[str, str]]:
            return [line for line in self.call.actions.lines if words in line[1]]

        await self.call.audio.until(lambda: bool(found()))
        return found()[0]

    @property
    def offered(self) -> set[str]:
        """Names of the tools that the model was last offered."""
        return {each["function"]["name"] for each in self.model.requests[-1]["tools"]}

    @property
    def results(self) -> list[str]:
        """What the model was told that its tools returned."""
        messages = self.model.requests[-1]["messages"]
        return [message["content"] for message in messages if message["role"] == "tool"]


@contextlib.asynccontextmanager
async def talking(
    warm_models: WarmModels,
    tls: OwnTls,
    server: McpServer | None = None,
    *,
    arguments: str = ASKED,
    tools: tuple[dict[str, Any], ...] = (),
    settings: dict[str, Any] | None = None,
    network: GuardedNetwork | None = None,
    provider: str = "openai",
    **fields: Any,
) -> AsyncIterator[Talk]:
    """A model that uses the tool ``find.table`` of the binding ``crm`` once, if it is offered."""

    def answer(request: dict[str, Any]) -> Answer:
        used = any(message["role"] == "tool" for message in request["messages"])
        offered = {each["function"]["name"] for each in request["tools"]}
        if used or "crm_find_table" not in offered:
            return says(ANSWER)
        return calls("crm_find_table", arguments)

    async with (
        httpx2.AsyncClient() as http,
        (server or McpServer()).serving(tls.server) as running,
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
        crm = {"type": "mcp", "name": "crm", "url": running.url}
        agent = AgentConfig.model_validate(
            {
                "name": "Ada",
                "tools": [*tools, crm | fields],
                "playbook": {"opener": GREETING},
            }
        )
        stack = LOCAL_STACK
        if provider != "local":
            choice = ProviderChoice(provider=provider, model="gpt-4.1-mini")
            stack = stack.model_copy(update={"llm": ResolvedChannel(primary=choice)})
        plan = call_plan(agent, stack=stack, variables={"place": "Harbour Inn"})
        async with conversation(plan, models) as call:
            yield Talk(call, wire, running)


@pytest.mark.parametrize("as_events", [False, True])
async def test_the_model_uses_a_tool_of_the_server(
    warm_models: WarmModels, tls: OwnTls, as_events: bool
) -> None:
    used: list[dict[str, Any]] = []

    def result(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        used.append({name: arguments})
        return text("free at", "seven")

    server = McpServer(result=result, as_events=as_events)
    about = "The restaurant {{ place }}."
    async with talking(warm_models, tls, server, description=about) as talk:
        level, message = await talk.logged("Tools of the MCP server crm")
        assert (level, message) == ("info", "Tools of the MCP server crm: crm_find_table")
        await talk.ask()
        assert await talk.call.messages("assistant", 1) == [ANSWER]
        assert used == [{"find.table": {"day": "Tuesday", "guests": 4}}]
        assert talk.results == ["free at\nseven"]
        [described] = [
            each["function"]
            for each in talk.model.requests[0]["tools"]
            if each["function"]["name"] == "crm_find_table"
        ]
        assert described["description"] == "The restaurant Harbour Inn.\nFinds a free table."
        assert described["parameters"]["required"] == ["day", "guests"]
        assert "$schema" not in described["parameters"]
    assert server.ended == ["session-1"]


async def test_each_use_has_its_duration(warm_models: WarmModels, tls: OwnTls) -> None:
    slow = McpServer(odd={"tools/call": Odd(delay_seconds=0.3)})
    async with talking(warm_models, tls, slow) as talk:
        await talk.logged("Tools of the MCP server crm")
        await talk.ask()
        [use] = [
            item
            for item in talk.call.conversation.session.history.items
            if item.type == "function_call"
        ]
        took_ms = talk.call.conversation.agents.tool_duration_ms(use.call_id)
        assert took_ms is not None
        assert took_ms >= 300


@pytest.mark.latency
async def test_the_greeting_waits_for_no_server(warm_models: WarmModels, tls: OwnTls) -> None:
    hangs = McpServer(odd={"initialize": Odd(delay_seconds=30)})
    async with talking(warm_models, tls, hangs, timeout_seconds=2.0) as talk:
        began_at = time.monotonic()
        await talk.call.conversation.greet()
        await talk.call.audio.agent_starts(0.0)
        assert time.monotonic() - began_at < 1.5
        level, message = await talk.logged("crm")
        assert level == "warning"
        assert "The tool crm is not available on this call, which goes on without it" in message
        assert "no list of tools within 2 s" in message
        await talk.ask()
        assert talk.offered == {"end_call"}
        assert ANSWER in await talk.call.messages("assistant", 2)


async def test_tools_that_come_late_are_offered_from_then_on(
    warm_models: WarmModels, tls: OwnTls
) -> None:
    slow = McpServer(odd={"tools/list": Odd(delay_seconds=1.5)})
    async with talking(warm_models, tls, slow) as talk:
        await talk.ask()
        assert talk.offered == {"end_call"}
        await talk.logged("Tools of the MCP server crm")
        await talk.ask()
        assert talk.offered == OFFERED
        assert talk.results == ["at seven"]


async def test_a_server_that_refuses_is_named_with_the_reason(
    warm_models: WarmModels, tls: OwnTls
) -> None:
    refusing = McpServer(odd={"initialize": Odd(401)})
    async with talking(warm_models, tls, refusing) as talk:
        assert await talk.logged("crm") == (
            "warning",
            "The tool crm is not available on this call, which goes on without it. Its MCP server "
            "cannot be used: HTTP 401",
        )
        await talk.ask()
        assert talk.offered == {"end_call"}
        assert await talk.call.messages("assistant", 1) == [ANSWER]


SLOW_TOOLS = {"tools/call": Odd(delay_seconds=1.5)}
WAIT = "One moment, I ask the {{ place }}."


@pytest.mark.latency
async def test_the_agent_says_that_it_waits_for_a_tool_and_then_the_answer(
    warm_models: WarmModels, tls: OwnTls
) -> None:
    async with talking(warm_models, tls, McpServer(odd=SLOW_TOOLS), speak_while=WAIT) as talk:
        await talk.logged("Tools of the MCP server crm")
        await talk.ask()
        said = await talk.call.messages("assistant", 2)
        assert said == ["One moment, I ask the Harbour Inn.", ANSWER]
        assert talk.results == ["at seven"]


@pytest.mark.latency
async def test_a_tool_that_answers_at_once_needs_no_words_while_waiting(
    warm_models: WarmModels, tls: OwnTls
) -> None:
    async with talking(warm_models, tls, speak_while=WAIT) as talk:
        await talk.logged("Tools of the MCP server crm")
        await talk.ask()
        assert await talk.call.messages("assistant", 1) == [ANSWER]


@pytest.mark.latency
async def test_without_words_for_it_a_slow_tool_is_waited_for_in_silence(
    warm_models: WarmModels, tls: OwnTls
) -> None:
    async with talking(warm_models, tls, McpServer(odd=SLOW_TOOLS)) as talk:
        await talk.logged("Tools of the MCP server crm")
        await talk.ask()
        assert await talk.call.messages("assistant", 1) == [ANSWER]


async def test_a_server_whose_tools_cannot_be_taken_over_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def listed(server: BoundServer) -> None:
        raise KeyError("a fault of ours")

    async def offer(tools: Sequence[ServerTool]) -> None: ...

    monkeypatch.setattr(BoundServer, "listed", listed)
    crm = {"type": "mcp", "name": "crm", "url": "https://127.0.0.1:9/mcp"}
    agent = AgentConfig.model_validate({"name": "Ada", "tools": [crm]})
    choice = ProviderChoice(provider="openai", model="gpt-4.1-mini")
    stack = LOCAL_STACK.model_copy(update={"llm": ResolvedChannel(primary=choice)})
    actions, network = NotedActions(), GuardedNetwork(OutboundPolicy())
    servers = CallServers(
        call_plan(agent, stack=stack), ProviderSettings(), network, actions, offer
    )
    servers.ask()
    await servers.listed(within_seconds=5.0)
    await servers.aclose()
    assert actions.lines == [
        (
            "warning",
            "The tool crm is not available on this call, which goes on without it. Its MCP "
            "server's tools could not be taken over (KeyError).",
        )
    ]


async def test_one_server_that_fails_leaves_the_others(
    warm_models: WarmModels, tls: OwnTls
) -> None:
    broken = {"type": "mcp", "name": "shop", "url": "https://127.0.0.1:9/mcp"}
    async with talking(warm_models, tls, tools=(broken,)) as talk:
        await talk.logged("Tools of the MCP server crm")
        assert (await talk.logged("The tool shop is not available"))[0] == "warning"
        await talk.ask()
        assert talk.offered == OFFERED


async def test_a_private_address_is_refused(warm_models: WarmModels, tls: OwnTls) -> None:
    network = GuardedNetwork(OutboundPolicy())
    async with talking(warm_models, tls, network=network) as talk:
        level, _ = await talk.logged("The tool crm is not available")
        assert level == "warning"
        assert talk.server.asked == []


async def test_arguments_that_do_not_fit_are_not_sent(warm_models: WarmModels, tls: OwnTls) -> None:
    async with talking(warm_models, tls, arguments='{"day": 2, "guests": 40}') as talk:
        await talk.logged("Tools of the MCP server crm")
        await talk.ask()
        [result] = talk.results
        assert "do not fit" in result
        assert "day" in result
        assert "guests" in result
        assert "tools/call" not in talk.server.methods


async def test_a_failed_tool_is_an_error_of_the_model(warm_models: WarmModels, tls: OwnTls) -> None:
    failing = McpServer(result=lambda name, arguments: text("the kitchen is closed", isError=True))
    async with talking(warm_models, tls, failing) as talk:
        await talk.logged("Tools of the MCP server crm")
        await talk.ask()
        assert talk.results == ["the kitchen is closed"]
        [output] = [
            item
            for item in talk.call.conversation.session.history.items
            if item.type == "function_call_output"
        ]
        assert output.is_error


async def test_a_secret_header_is_opened_and_never_told(
    warm_models: WarmModels, tls: OwnTls
) -> None:
    sealed = {"sealed": Sealer([KEY]).seal("Bearer t0ken-of-{{ place }}"), "hint": "ours"}
    secret = "t0ken-of-Harbour Inn"
    tool = FREE | {
        "description": f"Bearer {secret}",
        "inputSchema": {
            "type": "object",
            "properties": {
                "day": {"type": "string", "description": f"with Bearer {secret}"},
                "guests": {"type": "integer"},
            },
        },
    }
    bad = {"name": f"Bearer {secret}", "inputSchema": {}}
    server = McpServer(
        tools=[tool, bad], result=lambda name, arguments: text(f"you sent Bearer {secret}")
    )
    async with talking(warm_models, tls, server, headers={"Authorization": sealed}) as talk:
        await talk.logged("Tools of the MCP server crm")
        await talk.ask()
        assert talk.server.asked[0].headers["Authorization"] == f"Bearer {secret}"
        assert talk.results == ["you sent ••••"]
        assert secret not in str(talk.model.requests)
        assert secret not in str(talk.call.actions.lines)
        assert "•••• has an `inputSchema` that does not describe" in str(talk.call.actions.lines)


async def test_a_header_that_cannot_be_opened_stops_the_server(
    warm_models: WarmModels, tls: OwnTls
) -> None:
    sealed = {"sealed": Sealer([KEY]).seal("Bearer x"), "hint": ""}
    other = {"encryption_keys": (Fernet.generate_key().decode(),)}
    async with talking(warm_models, tls, headers={"A": sealed}, settings=other) as talk:
        assert [level for level, _ in talk.call.actions.lines] == ["error"]
        await talk.ask()
        assert talk.offered == {"end_call"}
        assert talk.server.asked == []


async def test_an_agent_that_comes_later_gets_what_is_listed(
    warm_models: WarmModels, tls: OwnTls
) -> None:
    given: list[str] = []

    async def offer(tools: Sequence[llm.Tool]) -> None:
        given.extend(tool.id for tool in tools)

    async with talking(warm_models, tls) as talk:
        await talk.logged("Tools of the MCP server crm")
        await talk.call.conversation.agents.present.tools.list_servers(offer)
        assert given == ["crm_find_table"]
        assert talk.server.methods.count("tools/list") == 1


async def test_names_are_valid_and_unique(warm_models: WarmModels, tls: OwnTls) -> None:
    same = FREE | {"name": "find-table"}
    webhook = {
        "type": "call_webhook",
        "name": "crm_find_table",
        "description": "Ours.",
        "url": "https://127.0.0.1/",
    }
    server = McpServer(tools=[FREE, same])
    async with talking(warm_models, tls, server, tools=(webhook,)) as talk:
        _, message = await talk.logged("Tools of the MCP server crm")
        assert message.endswith("crm: crm_find_table_2, crm_find_table_3")


async def test_an_agent_has_128_tools_at_most(
    warm_models: WarmModels, tls: OwnTls, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(call_servers, "MOST_TOOLS_OF_CALL", 4)
    server = McpServer(tools=[FREE | {"name": f"t{n}"} for n in range(5)])
    async with talking(warm_models, tls, server) as talk:
        _, names = await talk.logged("Tools of the MCP server crm")
        assert names.endswith("crm: crm_t0, crm_t1")
        level, message = await talk.logged("without some tools")
        assert level == "warning"
        assert "3 that would be more than 4 on the call" in message


async def test_a_call_asks_eight_servers_at_most(warm_models: WarmModels, tls: OwnTls) -> None:
    others = tuple(
        {"type": "mcp", "name": f"shop_{n}", "url": "https://127.0.0.1:9/"} for n in range(8)
    )
    async with talking(warm_models, tls, tools=others) as talk:
        assert await talk.logged("crm") == (
            "warning",
            "The tool crm is not available on this call, which goes on without it: a call asks "
            "the first 8 MCP servers of its agent.",
        )
        assert talk.server.asked == []


async def test_the_offline_playbook_asks_no_server(warm_models: WarmModels, tls: OwnTls) -> None:
    async with talking(warm_models, tls, provider="local") as talk:
        await talk.call.conversation.greet()
        assert await talk.call.messages("assistant", 1) == [GREETING]
        assert talk.server.asked == []
