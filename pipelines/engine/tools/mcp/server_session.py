"""A session with one MCP server: its handshake, its list of tools, their use, and its end.

Source: modelcontextprotocol.io/specification/2025-06-18, "Lifecycle", "Tools" and "Cancellation".
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping
from itertools import count
from typing import Any

import structlog

from pipelines.engine.tools.mcp.endpoint import Endpoint
from pipelines.engine.tools.mcp.messages import (
    SPOKEN_VERSIONS,
    McpFault,
    SessionEnded,
    initialize,
    notification,
    request,
    result_of,
)

MOST_PAGES = 10
"""Of a list of tools. A server could add pages for ever."""
CLOSING_SECONDS = 1.0
"""For the goodbye to a server. Nobody hears it, and a slot of the worker waits for it."""
_LONGEST_VERSION = 20

_log = structlog.get_logger(__name__)


class ServerSession:
    """The first request opens it. Requests may run beside each other. Close it with the call."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._numbers = count(1)
        self._opening = asyncio.Lock()
        self._is_open = False
        self._times_opened = 0
        self._cancellations: set[asyncio.Task[None]] = set()

    async def pages_of_tools(self) -> AsyncGenerator[list[Any], None]:
        """The definitions of tools as the server sends them, page by page.

        Raises:
            McpFault: the server cannot be used.
        """
        cursor: str | None = None
        for _ in range(MOST_PAGES):
            page = await self._ask("tools/list", {"cursor": cursor} if cursor else {})
            tools = page.get("tools")
            if not isinstance(tools, list):
                raise McpFault("its list of tools is not a list")
            yield tools
            cursor = page.get("nextCursor")
            if not isinstance(cursor, str) or not cursor:
                return

    async def call_tool(self, name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """What the server answers: ``content``, ``structuredContent``, ``isError``.

        Raises:
            McpFault: it does not say what came of the tool.
        """
        return await self._ask("tools/call", {"name": name, "arguments": dict(arguments)})

    async def aclose(self) -> None:
        for task in self._cancellations:
            task.cancel()
        await asyncio.gather(*self._cancellations, return_exceptions=True)
        try:
            async with asyncio.timeout(CLOSING_SECONDS):
                await self._endpoint.end_session()
        except (McpFault, TimeoutError) as error:
            _log.info("mcp.session_not_ended", reason=type(error).__name__)

    async def _ask(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        """Ask in an open session, and again in a new one if the server has ended it."""
        session = await self._opened()
        try:
            return await self._ask_once(method, params)
        except SessionEnded:
            await self._opened(after=session)
            return await self._ask_once(method, params)

    async def _opened(self, after: int = 0) -> int:
        """The number of the open session, which is opened if there is none, or if ``after`` is the
        last one's number."""
        async with self._opening:
            if after == self._times_opened:
                self._is_open = False
            if not self._is_open:
                await self._open()
                self._is_open = True
                self._times_opened += 1
            return self._times_opened

    async def _open(self) -> None:
        self._endpoint.session_id = self._endpoint.protocol_version = None
        result = result_of(await self._endpoint.ask(initialize(next(self._numbers))))
        version = result.get("protocolVersion")
        if not isinstance(version, str) or version not in SPOKEN_VERSIONS:
            shown = repr(version)[:_LONGEST_VERSION]
            known = ", ".join(sorted(SPOKEN_VERSIONS))
            raise McpFault(f"it speaks revision {shown} of the protocol; supported are {known}")
        self._endpoint.protocol_version = version
        await self._endpoint.tell(notification("notifications/initialized"))

    async def _ask_once(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        number = next(self._numbers)
        try:
            return result_of(await self._endpoint.ask(request(number, method, params)))
        except asyncio.CancelledError:
            task = asyncio.create_task(self._cancel(number), name="mcp-cancellation")
            self._cancellations.add(task)
            task.add_done_callback(self._cancellations.discard)
            raise

    async def _cancel(self, number: int) -> None:
        """Nobody waits for the answer any more. A closed connection would not say so."""
        try:
            await self._endpoint.tell(
                notification("notifications/cancelled", {"requestId": number})
            )
        except McpFault as fault:
            _log.info("mcp.request_not_cancelled", reason=type(fault).__name__)
