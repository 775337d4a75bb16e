"""The MCP servers of one call: their tools are offered as soon as they are listed."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import httpx2
import structlog

from contracts.call_plan import CallPlan, ResolvedChannel
from contracts.sealing import CannotOpen
from contracts.tool_bindings import END_CALL, Mcp
from outbound.guarded_network import GuardedNetwork
from pipelines.engine.call_actions import CallActions
from pipelines.engine.tools.mcp.bound_server import BoundServer, UsableTool
from pipelines.engine.tools.mcp.endpoint import MOST_ANSWER_BYTES
from pipelines.engine.tools.mcp.messages import McpFault
from pipelines.engine.tools.mcp.tool_names import name_for_model
from pipelines.engine.tools.unopened_headers import log_not_opened
from pipelines.settings import ProviderSettings
from pipelines.stack.catalogue import LOCAL
from pipelines.texts.templates.template import fill_template
from pipelines.webhooks.opened_headers import opened_headers, secrets_in
from pipelines.webhooks.webhook_call import ToolResult
from pipelines.webhooks.webhook_request import header_value

MOST_TOOLS_OF_CALL = 128
"""Of all kinds together; OpenAI takes no more."""
MOST_SERVERS = 8
"""Of one call. The schemas of each may take 64 KB of every prompt."""
_LONGEST_REQUEST_SECONDS = 30.0
"""What a binding may set at most."""

_log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class ServerTool:
    """A tool of a server, as a language model is given it."""

    name: str
    description: str
    parameters: dict[str, Any]
    """JSON Schema of an object, which the arguments must fit."""
    shown_parameters: dict[str, Any]
    """The same, as providers of language models take it."""
    speak_while: str | None
    """What the caller is told while the tool is at work; ``None``: nothing."""
    run: Callable[[dict[str, Any]], Awaitable[ToolResult]]


Offer = Callable[[Sequence[ServerTool]], Awaitable[None]]
"""Gives more tools to the language model."""


class CallServers:
    """Close it with the call."""

    def __init__(
        self,
        plan: CallPlan,
        settings: ProviderSettings,
        network: GuardedNetwork,
        actions: CallActions,
        offer: Offer,
    ) -> None:
        self._plan = plan
        self._settings = settings
        self._network = network
        self._actions = actions
        self._offer = offer
        self._taken = {END_CALL, *(tool.name for tool in plan.agent.tools)}
        self._http: httpx2.AsyncClient | None = None
        self._servers: list[BoundServer] = []
        self._listings: set[asyncio.Task[None]] = set()

    def ask(self) -> None:
        """Have all servers list their tools. Returns at once. A server that fails is named in the
        call's events, and the call goes on without its tools."""
        if not _calls_tools(self._plan.stack.llm):
            return
        bindings = [tool for tool in self._plan.agent.tools if isinstance(tool, Mcp)]
        for binding in bindings[MOST_SERVERS:]:
            self._actions.log(
                "warning",
                f"The tool {binding.name} is not available on this call, which goes on without it: "
                f"a call asks the first {MOST_SERVERS} MCP servers of its agent.",
            )
        for binding in bindings[:MOST_SERVERS]:
            if (server := self._server(binding)) is not None:
                self._servers.append(server)
                name = f"mcp-tools-of-{binding.name}"
                listing = asyncio.create_task(self._list(server), name=name)
                self._listings.add(listing)
                listing.add_done_callback(partial(self._listed, binding.name))

    async def listed(self, within_seconds: float) -> None:
        """Wait until all that were asked have listed their tools, but no longer."""
        if self._listings:
            await asyncio.wait(self._listings, timeout=within_seconds)

    async def aclose(self) -> None:
        listings = list(self._listings)
        for listing in listings:
            listing.cancel()
        await asyncio.gather(*listings, return_exceptions=True)
        await asyncio.gather(*(server.aclose() for server in self._servers))
        if self._http is not None:
            await self._http.aclose()

    def _server(self, binding: Mcp) -> BoundServer | None:
        try:
            headers = opened_headers(binding, self._settings.encryption_keys)
        except CannotOpen:
            log_not_opened(binding, self._actions)
            return None
        variables = self._plan.variables
        sent = {
            name: header_value(fill_template(value, variables)) for name, value in headers.items()
        }
        secrets = secrets_in([*headers.values(), *sent.values()])
        return BoundServer(binding, self._client(), sent, secrets)

    def _client(self) -> httpx2.AsyncClient:
        if self._http is None:
            self._http = self._network.client(
                str(self._plan.tenant_id),
                timeout_seconds=_LONGEST_REQUEST_SECONDS,
                max_response_bytes=MOST_ANSWER_BYTES,
            )
        return self._http

    async def _list(self, server: BoundServer) -> None:
        binding = server.binding.name
        try:
            listing = await server.listed()
        except McpFault as fault:
            self._actions.log(
                "warning",
                f"The tool {binding} is not available on this call, which goes on without it. Its "
                f"MCP server cannot be used: {fault}",
            )
            return
        tools = [self._named(server, tool) for tool in listing.tools[: self._room]]
        left_out = [listing.left_out] if listing.left_out else []
        if missing := len(listing.tools) - len(tools):
            left_out.append(f"{missing} that would be more than {MOST_TOOLS_OF_CALL} on the call")
        if left_out:
            self._actions.log(
                "warning",
                f"The call goes on without some tools of the MCP server {binding}: "
                + "; ".join(left_out),
            )
        await self._offer(tools)
        names = ", ".join(tool.name for tool in tools) or "none"
        self._actions.log("info", f"Tools of the MCP server {binding}: {names}")

    @property
    def _room(self) -> int:
        return max(0, MOST_TOOLS_OF_CALL - len(self._taken))

    def _named(self, server: BoundServer, tool: UsableTool) -> ServerTool:
        own_name = server.masked(tool.listed.name)
        name = name_for_model(server.binding.name, own_name, self._taken)
        self._taken.add(name)
        about = fill_template(server.binding.description or "", self._plan.variables)
        filler = fill_template(server.binding.speak_while or "", self._plan.variables).strip()
        return ServerTool(
            name=name,
            description=f"{about}\n{tool.listed.description}".strip(),
            parameters=tool.listed.parameters,
            shown_parameters=tool.shown_parameters,
            speak_while=filler or None,
            run=partial(server.call_tool, tool.listed.name),
        )

    def _listed(self, binding: str, listing: asyncio.Task[None]) -> None:
        self._listings.discard(listing)
        if not listing.cancelled() and (error := listing.exception()) is not None:
            _log.error("mcp.listing_failed", server=binding, exc_info=error)
            self._actions.log(
                "warning",
                f"The tool {binding} is not available on this call, which goes on without it. Its "
                f"MCP server's tools could not be taken over ({type(error).__name__}).",
            )


def _calls_tools(models: ResolvedChannel) -> bool:
    """Whether any of the language models can use a server's tools. The offline playbook cannot."""
    choices = (models.primary, models.fallback)
    return any(choice is not None and choice.provider != LOCAL for choice in choices)
