"""The MCP server of one tool binding during one call."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import httpx2

from contracts.tool_bindings import Mcp
from pipelines.engine.tools.mcp.argument_schemas import as_shown
from pipelines.engine.tools.mcp.endpoint import Endpoint
from pipelines.engine.tools.mcp.messages import McpFault
from pipelines.engine.tools.mcp.schema_faults import faults_of_schemas
from pipelines.engine.tools.mcp.server_session import ServerSession
from pipelines.engine.tools.mcp.tool_answer import tool_result
from pipelines.engine.tools.mcp.tool_selection import ListedTool, ToolSelection
from pipelines.engine.tools.mcp.tool_text import cut
from pipelines.webhooks.webhook_call import MOST_BYTES, ToolResult, masked
from schema_sandbox.documents import fault_of_document
from schema_sandbox.sandbox import SchemaSandbox, schema_sandbox

LISTING_SECONDS = 5.0
"""For the handshake and the list of tools. A caller's first question comes about that early."""


@dataclass(frozen=True)
class UsableTool:
    listed: ListedTool
    """With the server's own name, and everything else masked."""
    shown_parameters: dict[str, Any]
    """Its ``parameters`` as providers of language models take them."""


@dataclass(frozen=True)
class Listing:
    """What a server offers, with all secrets masked."""

    tools: Sequence[UsableTool]
    left_out: str
    """The tools that a model is not given, and why, as a part of a sentence; may be empty."""


class BoundServer:
    """Close it with the call."""

    def __init__(
        self,
        binding: Mcp,
        http: httpx2.AsyncClient,
        headers: Mapping[str, str],
        secrets: Collection[str],
    ) -> None:
        """
        Args:
            http: see ``Endpoint``.
            headers: of the binding, opened and filled in.
            secrets: are masked in everything that comes from the server.
        """
        self.binding = binding
        self._secrets = secrets
        self._session = ServerSession(Endpoint(http, binding.url, headers))

    async def listed(self) -> Listing:
        """The tools that a language model may be given. The server has ``LISTING_SECONDS`` for
        their list, and no longer than the binding's own limit.

        Raises:
            McpFault: there are none, and why.
        """
        seconds = min(LISTING_SECONDS, self.binding.timeout_seconds)
        try:
            async with asyncio.timeout(seconds):
                selection = await self._selected()
        except TimeoutError:
            raise McpFault(f"no list of tools within {seconds:g} s") from None
        except McpFault as fault:
            raise McpFault(self.masked(str(fault))) from fault
        sandbox = schema_sandbox()
        usable = await sandbox.run(partial(self._usable, selection, sandbox))
        return Listing(usable, self.masked(selection.left_out))

    async def call_tool(self, name: str, arguments: Mapping[str, Any]) -> ToolResult:
        """Use a tool, by the name that the server has for it."""
        try:
            async with asyncio.timeout(self.binding.timeout_seconds):
                result = tool_result(await self._session.call_tool(name, arguments))
        except TimeoutError:
            why = f"no answer within {self.binding.timeout_seconds:g} s"
            return ToolResult(f"The tool failed: {why}", is_error=True)
        except McpFault as fault:
            return ToolResult(f"The tool failed: {self.masked(str(fault))}", is_error=True)
        return ToolResult(cut(self.masked(result.text or ""), MOST_BYTES), result.is_error)

    async def aclose(self) -> None:
        await self._session.aclose()

    def masked(self, text: str) -> str:
        return masked(text, self._secrets)

    async def _selected(self) -> ToolSelection:
        selection = ToolSelection(self.binding.allowed_tools)
        async with aclosing(self._session.pages_of_tools()) as pages:
            async for page in pages:
                selection.take(page)
        selection.end()
        return selection

    def _usable(self, selection: ToolSelection, sandbox: SchemaSandbox) -> list[UsableTool]:
        """It blocks: in many small texts, masking takes longer than the event loop may stop."""
        # No schema is walked before its depth is known.
        tools = [
            tool if fault_of_document(tool.parameters) else self._masked_tool(tool)
            for tool in selection.tools
        ]
        usable: list[UsableTool] = []
        faults = faults_of_schemas([tool.parameters for tool in tools], sandbox)
        for tool, fault in zip(tools, faults, strict=True):
            if fault is None:
                usable.append(UsableTool(tool, as_shown(tool.parameters)))
            else:
                selection.leave_out(tool.name, f"has an `inputSchema` that {fault}")
        return usable

    def _masked_tool(self, tool: ListedTool) -> ListedTool:
        return replace(
            tool,
            description=self.masked(tool.description),
            parameters=self._masked_value(tool.parameters),
        )

    def _masked_value(self, value: Any) -> Any:
        """``value`` with all its texts masked, also the names of its properties."""
        if isinstance(value, str):
            return self.masked(value)
        if isinstance(value, list):
            return [self._masked_value(each) for each in value]
        if isinstance(value, dict):
            return {self.masked(name): self._masked_value(each) for name, each in value.items()}
        return value
