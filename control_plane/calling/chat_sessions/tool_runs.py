"""Tools in a chat: called for real only where the chat says so, otherwise reported."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import httpx2

from contracts.sealing import CannotOpen
from contracts.tool_bindings import CallWebhook
from control_plane.calling.chat_sessions.chat_agent import ChatAgent
from control_plane.calling.chat_sessions.conversation import ToolUse
from pipelines.webhooks.argument_faults import fault_of_arguments
from pipelines.webhooks.opened_headers import opened_headers, secrets_in
from pipelines.webhooks.webhook_call import ToolResult, call_webhook
from pipelines.webhooks.webhook_request import webhook_request

MOST_RESULT_CHARACTERS = 4_000
"""Of a tool's answer. The rest is left out, because the chat is stored as a whole."""
_CUT_SHORT = "There was no time left to wait for an answer. The tool may have done its work."


class ToolRuns(Protocol):
    async def use(self, name: str, arguments: Mapping[str, Any]) -> ToolUse:
        """What came of a use of the agent's tool ``name``. Never raises."""
        ...


class ReportedTools:
    """Calls nothing."""

    async def use(self, name: str, arguments: Mapping[str, Any]) -> ToolUse:
        return ToolUse(name=name, arguments=dict(arguments), outcome="would_call")


@dataclass(frozen=True)
class ToolsOfTurn:
    """The tools for the answer to the caller's last words. When a model has failed after it used
    some, the next attempt at an answer does not do the same again.

    Args:
        before: what was used for the same words, before a model failed to answer them.
        used: gets what is used now, whatever comes of it.
    """

    tools: ToolRuns
    before: tuple[ToolUse, ...]
    used: list[ToolUse]

    async def use(self, name: str, arguments: Mapping[str, Any]) -> ToolUse:
        for use in self.before:
            if use.name == name and use.arguments == arguments:
                return use
        try:
            use = await self.tools.use(name, arguments)
        except asyncio.CancelledError:
            self.used.append(
                ToolUse(name=name, arguments=dict(arguments), outcome="failed", result=_CUT_SHORT)
            )
            raise
        self.used.append(use)
        return use


@dataclass(frozen=True)
class CalledWebhooks:
    """Calls the agent's webhooks. Other tools act on calls, and are only reported.

    Args:
        http: a guarded client of the tenant.
        encryption_keys: open the tools' secret headers.
    """

    agent: ChatAgent
    http: httpx2.AsyncClient
    encryption_keys: tuple[str, ...]

    async def use(self, name: str, arguments: Mapping[str, Any]) -> ToolUse:
        tools = self.agent.config.tools
        tool = next((each for each in tools if each.name == name), None)
        if not isinstance(tool, CallWebhook):
            return await ReportedTools().use(name, arguments)
        result = await self._called(tool, dict(arguments))
        return ToolUse(
            name=name,
            arguments=dict(arguments),
            outcome="failed" if result.is_error else "done",
            result=(result.text or "")[:MOST_RESULT_CHARACTERS],
        )

    async def _called(self, tool: CallWebhook, arguments: dict[str, Any]) -> ToolResult:
        if (fault := await fault_of_arguments(arguments, tool.parameters)) is not None:
            return ToolResult(f"The arguments do not fit: {fault}", is_error=True)
        try:
            headers = opened_headers(tool, self.encryption_keys)
        except CannotOpen:
            return ToolResult("The tool's headers can no longer be decrypted.", is_error=True)
        try:
            request = webhook_request(tool, headers, arguments, self.agent.variables)
        except httpx2.InvalidURL as error:
            return ToolResult(f"The arguments do not fit: {error}", is_error=True)
        sent = [value for name, value in request.headers.items() if name in headers]
        secrets = secrets_in([*headers.values(), *sent])
        return await call_webhook(self.http, request, tool.timeout_seconds, secrets)
