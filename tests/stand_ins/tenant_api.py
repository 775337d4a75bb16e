"""A tenant's own HTTPS server, which the tools of agents call.

It notes what it is asked, and answers with what it is told, in order, the last one for ever.
"""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass, field

from aiohttp import web


@dataclass(frozen=True)
class Reply:
    text: str = "{}"
    status: int = 200
    delay_seconds: float = 0.0
    hangs_up: bool = False


@dataclass(frozen=True)
class Asked:
    method: str
    path_and_query: str
    headers: dict[str, str]
    text: str


@dataclass
class TenantApi:
    replies: Iterable[Reply] = (Reply(),)
    asked: list[Asked] = field(default_factory=list)
    url: str = ""

    def __post_init__(self) -> None:
        self._replies = list(self.replies) or [Reply()]
        self._stopping = asyncio.Event()

    @contextlib.asynccontextmanager
    async def serving(self, tls: ssl.SSLContext) -> AsyncIterator[TenantApi]:
        """Listens on 127.0.0.1 at ``url``."""
        app = web.Application()
        app.router.add_route("*", "/{path:.*}", self._answer)
        runner = web.AppRunner(app, shutdown_timeout=1.0)
        await runner.setup()
        try:
            await web.TCPSite(runner, "127.0.0.1", 0, ssl_context=tls).start()
            self.url = f"https://127.0.0.1:{runner.addresses[0][1]}"
            yield self
        finally:
            self._stopping.set()
            await runner.cleanup()

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        text = await request.text()
        self.asked.append(Asked(request.method, request.path_qs, dict(request.headers), text))
        reply = self._replies.pop(0) if len(self._replies) > 1 else self._replies[0]
        if reply.delay_seconds:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._stopping.wait(), reply.delay_seconds)
        if reply.hangs_up and request.transport is not None:
            request.transport.abort()
        return web.Response(text=reply.text, status=reply.status)
