"""A tenant's MCP server: streamable HTTP over HTTPS, revision 2025-06-18.

It keeps to the protocol as far as a client can tell, and notes what it is asked. ``odd`` makes it
answer a method in any other way.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import ssl
from collections.abc import AsyncIterator, Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

Result = dict[str, Any]
FREE = {
    "name": "find.table",
    "description": "Finds a free table.",
    "inputSchema": {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "type": "object",
        "properties": {"day": {"type": "string"}, "guests": {"type": "integer", "maximum": 8}},
        "required": ["day", "guests"],
    },
}


def text(*texts: str, **fields: Any) -> Result:
    return {"content": [{"type": "text", "text": each} for each in texts]} | fields


@dataclass(frozen=True)
class Odd:
    """What a method gets instead of its answer, or after ``delay_seconds``."""

    status: int = 200
    body: str | None = None
    content_type: str = "application/json"
    delay_seconds: float = 0.0
    headers: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Asked:
    method: str
    params: dict[str, Any]
    headers: dict[str, str]


@dataclass
class McpServer:
    tools: Iterable[Any] = (FREE,)
    result: Callable[[str, dict[str, Any]], Result] = lambda name, arguments: text("at seven")
    as_events: bool = False
    """Answers come in a stream, behind a report of progress and a ping."""
    page_size: int = 1_000
    version: str = "2025-06-18"
    odd: dict[str, Odd] = field(default_factory=dict)
    asked: list[Asked] = field(default_factory=list)
    replies: list[dict[str, Any]] = field(default_factory=list)
    """What the client answered to requests of the server."""
    reply_status: int = 202
    """What the client gets for an answer to a request of the server."""
    ended: list[str] = field(default_factory=list)
    """The sessions that the client has ended."""
    goodbye_seconds: float = 0.0
    """How long the end of a session takes."""
    url: str = ""

    def __post_init__(self) -> None:
        self._stopping = asyncio.Event()
        self._news = asyncio.Condition()
        self._sessions: set[str] = set()
        self._count = 0

    @property
    def methods(self) -> list[str]:
        return [each.method for each in self.asked]

    async def until_asked(self, method: str) -> None:
        async with asyncio.timeout(20), self._news:
            await self._news.wait_for(lambda: method in self.methods)

    def forget_sessions(self) -> None:
        self._sessions.clear()

    @contextlib.asynccontextmanager
    async def serving(self, tls: ssl.SSLContext) -> AsyncIterator[McpServer]:
        """Listens on 127.0.0.1 at ``url``."""
        app = web.Application()
        app.router.add_post("/mcp", self._post)
        app.router.add_delete("/mcp", self._delete)
        runner = web.AppRunner(app, shutdown_timeout=1.0)
        await runner.setup()
        try:
            await web.TCPSite(runner, "127.0.0.1", 0, ssl_context=tls).start()
            self.url = f"https://127.0.0.1:{runner.addresses[0][1]}/mcp"
            yield self
        finally:
            self._stopping.set()
            await runner.cleanup()

    async def _delete(self, request: web.Request) -> web.Response:
        self.ended.append(request.headers["Mcp-Session-Id"])
        await self._wait(self.goodbye_seconds)
        return web.Response()

    async def _post(self, request: web.Request) -> web.StreamResponse:
        assert {"application/json", "text/event-stream"} <= {
            part.strip() for part in request.headers["Accept"].split(",")
        }
        message = json.loads(await request.text())
        if "method" not in message:
            self.replies.append(message)
            return web.Response(status=self.reply_status)
        method = message["method"]
        self.asked.append(Asked(method, message.get("params", {}), dict(request.headers)))
        async with self._news:
            self._news.notify_all()
        if (odd := self.odd.get(method)) is not None:
            await self._wait(odd.delay_seconds)
            if odd.body is not None or odd.status != 200:
                headers = {"Content-Type": odd.content_type} | dict(odd.headers)
                body = (odd.body or "").encode()
                return web.Response(status=odd.status, body=body, headers=headers)
        if method == "initialize":
            return await self._answer(request, message, self._opened(), self._new_session())
        if request.headers.get("Mcp-Session-Id") not in self._sessions:
            return web.Response(status=404)
        assert request.headers["MCP-Protocol-Version"] == self.version
        if "id" not in message:
            return web.Response(status=202)
        return await self._answer(request, message, self._result_of(message))

    def _opened(self) -> Result:
        return {
            "protocolVersion": self.version,
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "stand-in", "version": "1"},
        }

    def _new_session(self) -> str:
        self._count += 1
        self._sessions.add(session := f"session-{self._count}")
        return session

    def _result_of(self, message: dict[str, Any]) -> Result:
        params = message.get("params", {})
        if message["method"] == "tools/call":
            return self.result(params["name"], params["arguments"])
        assert message["method"] == "tools/list"
        begin = int(params.get("cursor", 0))
        tools = list(self.tools)
        end = begin + self.page_size
        more = {"nextCursor": str(end)} if end < len(tools) else {}
        return {"tools": tools[begin:end]} | more

    async def _answer(
        self, request: web.Request, message: dict[str, Any], result: Result, session: str = ""
    ) -> web.StreamResponse:
        headers = {"Mcp-Session-Id": session} if session else {}
        answer = {"jsonrpc": "2.0", "id": message["id"], "result": result}
        if not self.as_events:
            return web.json_response(answer, headers=headers)
        response = web.StreamResponse(headers=headers | {"Content-Type": "text/event-stream"})
        await response.prepare(request)
        progress = {"jsonrpc": "2.0", "method": "notifications/progress", "params": {}}
        ping = {"jsonrpc": "2.0", "id": "p", "method": "ping"}
        sampling = {"jsonrpc": "2.0", "id": "s", "method": "sampling/createMessage", "params": {}}
        for each in (progress, ping, sampling, answer):
            await response.write(f"event: message\ndata: {json.dumps(each)}\n\n".encode())
        # It may stay open behind the answer.
        await self._wait(30)
        return response

    async def _wait(self, seconds: float) -> None:
        if seconds:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._stopping.wait(), seconds)
