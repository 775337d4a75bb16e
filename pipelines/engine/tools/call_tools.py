"""The tools of one call, as the engine wants them. All of them run through here."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Mapping, Sequence
from typing import Any

import httpx2
from livekit.agents import RunContext, function_tool, llm
from livekit.agents.voice.generation import _RELEASED_TOOL_TEMPLATE, _RUNNING_TOOL_PLACEHOLDER

from contracts.call_plan import CallPlan
from contracts.phone_media import MOST_DTMF_DIGITS
from contracts.sealing import CannotOpen
from contracts.tool_bindings import (
    END_CALL,
    NO_ARGUMENTS,
    CallWebhook,
    EndCall,
    Handoff,
    SearchKnowledge,
    SendDtmf,
    Transfer,
)
from outbound.guarded_network import GuardedNetwork
from pipelines.engine.call_actions import CallActions
from pipelines.engine.knowledge.lookup import Lookup, as_data
from pipelines.engine.tools.handoff_tool import HandOver, handoff_tool
from pipelines.engine.tools.mcp.call_servers import CallServers, ServerTool
from pipelines.engine.tools.transfer_tool import run_transfer, transfer_parameters
from pipelines.engine.tools.unopened_headers import log_not_opened
from pipelines.settings import ProviderSettings
from pipelines.texts.templates.template import fill_template
from pipelines.webhooks.argument_faults import NOT_JSON, are_json, fault_of_arguments
from pipelines.webhooks.opened_headers import opened_headers, secrets_in
from pipelines.webhooks.webhook_call import ToolResult, call_webhook
from pipelines.webhooks.webhook_request import webhook_request
from telemetry.metrics import TOOL_CALLS

FILLER_AFTER_SECONDS = 0.4
"""A tool that answers sooner needs no words while the caller waits."""
PATIENCE_SECONDS = 3.0
"""For which a caller who speaks while a tool is at work waits for it. The engine would wait for
5 s, then answer the caller, and tell the result of the tool to nobody."""
_LONGEST_REQUEST_SECONDS = 30.0
_KEYS = re.compile(rf"[0-9A-D*#]{{1,{MOST_DTMF_DIGITS}}}")
_KEYS_PARAMETERS: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "digits": {"type": "string", "description": "The keys, in order: 0-9, A-D, * and #."}
    },
    "required": ["digits"],
    "additionalProperties": False,
}

SEARCH_KNOWLEDGE = "search_knowledge"
NOTHING_FOUND = "Your sources say nothing about it. Say that you do not know."
_SEARCH_DESCRIPTION = (
    "Looks a question up in your knowledge sources. Use it for facts that you do not have."
)
_SEARCH_PARAMETERS: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "question": {"type": "string", "description": "What you want to know, as one question."}
    },
    "required": ["question"],
    "additionalProperties": False,
}

Offer = Callable[[Sequence[llm.Tool]], Awaitable[None]]
"""Gives an agent more tools."""
_Run = Callable[[dict[str, Any]], Coroutine[Any, Any, ToolResult]]


class CallTools:
    """Close it with the call."""

    def __init__(
        self,
        plan: CallPlan,
        settings: ProviderSettings,
        network: GuardedNetwork,
        actions: CallActions,
        hand_over: HandOver | None = None,
        knowledge: Lookup | None = None,
    ) -> None:
        """
        Args:
            network: to the tenant's servers.
            hand_over: lets another agent take over; ``None``: none can.
            knowledge: what the agent can look up; ``None``: it has no sources.
        """
        self._plan = plan
        self._hand_over = hand_over
        self._knowledge = knowledge
        self._settings = settings
        self._network = network
        self._actions = actions
        self._http: httpx2.AsyncClient | None = None
        self._durations_ms: dict[str, int] = {}
        self._released = asyncio.Event()
        self._servers: CallServers | None = None
        self._listed: list[llm.Tool] = []
        self._offer: Offer | None = None

    def of_engine(self) -> list[llm.Tool]:
        """What the engine gives to the model: ``end_call`` always, with the description that the
        agent has for it."""
        self._released = asyncio.Event()
        tools = self._plan.agent.tools
        bound = next((tool for tool in tools if isinstance(tool, EndCall)), None)
        ending = bound or EndCall(type="end_call")
        return [
            self._tool(END_CALL, ending.description, NO_ARGUMENTS, None, self._end_call),
            *(self._webhook(tool) for tool in tools if isinstance(tool, CallWebhook)),
            *(self._keys(tool) for tool in tools if isinstance(tool, SendDtmf)),
            *self._transfers(),
            *self._handoffs(),
            *self._search_knowledge(),
        ]

    def release(self) -> None:
        """The agent is about to leave the conversation, or its realtime model has failed: nobody
        waits for what is at work, also in the answer with which it hands over."""
        self._released.set()

    def ask_servers(self) -> None:
        """Ask the agent's MCP servers for their tools, once in a call. Returns at once."""
        if self._servers is None:
            self._servers = CallServers(
                self._plan, self._settings, self._network, self._actions, self._offer_of_server
            )
            self._servers.ask()

    async def servers_listed(self, within_seconds: float) -> None:
        """Wait for the tools of the servers that were asked, but no longer."""
        if self._servers is not None:
            await self._servers.listed(within_seconds)

    async def list_servers(self, offer: Offer) -> None:
        """Offer the tools of the agent's MCP servers: those that are listed, and those of each
        further server as they come. Does not wait for them. They go to the newest ``offer`` only.
        """
        self._offer = offer
        self.ask_servers()
        if self._listed:
            await offer(self._listed)

    async def _offer_of_server(self, tools: Sequence[ServerTool]) -> None:
        listed = [self._server_tool(tool) for tool in tools]
        self._listed += listed
        if self._offer is not None:
            await self._offer(listed)

    def _handoffs(self) -> Iterator[llm.Tool]:
        """Without those to agents that cannot take over: the plan leaves these out."""
        if self._hand_over is None:
            return
        others = self._plan.agents.keys() - {self._plan.agent_id}
        for tool in self._plan.agent.tools:
            if isinstance(tool, Handoff) and tool.agent_id in others:
                yield handoff_tool(tool, self._plan.variables, self._hand_over)

    def _transfers(self) -> Iterator[llm.Tool]:
        for tool in self._plan.agent.tools:
            if isinstance(tool, Transfer) and tool.is_to_a_phone:
                yield self._transfer(tool)

    def duration_ms(self, call_id: str) -> int | None:
        """How long a tool took. ``call_id`` is the model's name for one use of it."""
        return self._durations_ms.get(call_id)

    async def aclose(self) -> None:
        if self._servers is not None:
            await self._servers.aclose()
        if self._http is not None:
            await self._http.aclose()

    def _tool(
        self,
        name: str,
        description: str,
        parameters: Mapping[str, Any],
        speak_while: str | None,
        run: _Run,
    ) -> llm.Tool:
        filled = fill_template(description, self._plan.variables)
        return self._described(name, filled, parameters, speak_while, run)

    def _described(
        self,
        name: str,
        description: str,
        parameters: Mapping[str, Any],
        speak_while: str | None,
        run: _Run,
    ) -> llm.Tool:
        async def call(raw_arguments: dict[str, Any], context: RunContext[None]) -> str | None:
            if not are_json(raw_arguments):
                raise llm.ToolError(f"The arguments do not fit: {NOT_JSON}")
            began_at = time.monotonic()
            if speak_while:
                async with context.with_filler(speak_while, delay=FILLER_AFTER_SECONDS):
                    result = await _awaited(run(raw_arguments), context, self._released)
            else:
                result = await _awaited(run(raw_arguments), context, self._released)
            took_ms = round((time.monotonic() - began_at) * 1000)
            self._durations_ms[context.function_call.call_id] = took_ms
            TOOL_CALLS.labels("failed" if result.is_error else "done").inc()
            if result.is_error:
                raise llm.ToolError(result.text or "The tool failed.")
            return result.text

        schema = {"name": name, "description": description, "parameters": dict(parameters)}
        return function_tool(call, raw_schema=schema)

    async def _end_call(self, arguments: dict[str, Any]) -> ToolResult:
        self._actions.end_call()
        return ToolResult(None)

    def _search_knowledge(self) -> Iterator[llm.Tool]:
        """Unless the agent has another tool of this name. Bindings of the type
        ``search_knowledge`` make no tool."""
        knowledge = self._knowledge
        if knowledge is None or any(
            tool.name == SEARCH_KNOWLEDGE
            for tool in self._plan.agent.tools
            if not isinstance(tool, SearchKnowledge)
        ):
            return

        async def run(arguments: dict[str, Any]) -> ToolResult:
            question = arguments.get("question")
            if not isinstance(question, str) or not question.strip():
                return ToolResult("`question` must be what you want to know.", is_error=True)
            found = await knowledge.find(question)
            return ToolResult(as_data(found) if found else NOTHING_FOUND)

        yield self._described(SEARCH_KNOWLEDGE, _SEARCH_DESCRIPTION, _SEARCH_PARAMETERS, None, run)

    def _keys(self, tool: SendDtmf) -> llm.Tool:
        async def run(arguments: dict[str, Any]) -> ToolResult:
            digits = str(arguments.get("digits", "")).upper().replace(" ", "")
            if not _KEYS.fullmatch(digits):
                fault = f"`digits` must be 1 to {MOST_DTMF_DIGITS} of 0-9, A-D, * and #."
                return ToolResult(fault, is_error=True)
            fault_of_call = self._actions.send_digits(digits)
            return ToolResult(fault_of_call or "Pressed.", is_error=fault_of_call is not None)

        return self._tool(tool.name, tool.description, _KEYS_PARAMETERS, None, run)

    def _transfer(self, tool: Transfer) -> llm.Tool:
        async def run(arguments: dict[str, Any]) -> ToolResult:
            return run_transfer(tool, arguments, self._plan.variables, self._actions)

        return self._tool(tool.name, tool.description, transfer_parameters(tool), None, run)

    def _webhook(self, tool: CallWebhook) -> llm.Tool:
        async def run(arguments: dict[str, Any]) -> ToolResult:
            if (fault := await fault_of_arguments(arguments, tool.parameters)) is not None:
                return ToolResult(f"The arguments do not fit: {fault}", is_error=True)
            try:
                headers = opened_headers(tool, self._settings.encryption_keys)
            except CannotOpen:
                log_not_opened(tool, self._actions)
                return ToolResult("The tool is not available.", is_error=True)
            try:
                request = webhook_request(tool, headers, arguments, self._plan.variables)
            except httpx2.InvalidURL as error:
                return ToolResult(f"The arguments do not fit: {error}", is_error=True)
            sent = [value for name, value in request.headers.items() if name in headers]
            secrets = secrets_in([*headers.values(), *sent])
            return await call_webhook(self._client(), request, tool.timeout_seconds, secrets)

        filler = fill_template(tool.speak_while or "", self._plan.variables).strip()
        return self._tool(tool.name, tool.description, tool.parameters, filler or None, run)

    def _server_tool(self, tool: ServerTool) -> llm.Tool:
        async def run(arguments: dict[str, Any]) -> ToolResult:
            if (fault := await fault_of_arguments(arguments, tool.parameters)) is not None:
                return ToolResult(f"The arguments do not fit: {fault}", is_error=True)
            return await tool.run(arguments)

        return self._described(
            tool.name, tool.description, tool.shown_parameters, tool.speak_while, run
        )

    def _client(self) -> httpx2.AsyncClient:
        if self._http is None:
            self._http = self._network.client(
                str(self._plan.tenant_id), timeout_seconds=_LONGEST_REQUEST_SECONDS
            )
        return self._http


async def _awaited(
    work: Coroutine[Any, Any, ToolResult], context: RunContext[None], released: asyncio.Event
) -> ToolResult:
    """What comes of ``work``. A caller who speaks meanwhile is answered after ``PATIENCE_SECONDS``
    at most, and told of the result when it is there. So is one whose next agent begins: then the
    former one has nothing to say of it."""
    working, releasing = asyncio.create_task(work), asyncio.create_task(released.wait())
    either: set[asyncio.Task[Any]] = {working, releasing}
    over = asyncio.create_task(asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED))
    try:
        await context.speech_handle.wait_if_not_interrupted([over])
        await asyncio.wait({over}, timeout=PATIENCE_SECONDS)
        if not working.done():
            await context.update(
                _RUNNING_TOOL_PLACEHOLDER,
                template=_RELEASED_TOOL_TEMPLATE,
                silent=released.is_set(),
            )
        return await working
    finally:
        working.cancel()
        releasing.cancel()
        over.cancel()
