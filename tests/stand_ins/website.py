"""A website on 127.0.0.1 whose pages are given, some of them ill-behaved."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field

from aiohttp import web


@dataclass(frozen=True)
class WebPage:
    body: bytes = b""
    content_type: str = "text/html; charset=utf-8"
    status: int = 200
    location: str | None = None
    """Where it redirects to."""
    drips: bool = False
    """One byte at a time, without end."""
    is_endless: bool = False
    """As fast as it can, without end."""
    encoding: str | None = None
    etag: str | None = None
    delay_seconds: float = 0.0
    """Before it answers."""


def html(body: str, head: str = "") -> WebPage:
    return WebPage(f"<html><head>{head}</head><body>{body}</body></html>".encode())


def redirect(location: str, status: int = 302) -> WebPage:
    return WebPage(status=status, location=location)


@dataclass
class Website:
    pages: Mapping[str, WebPage]
    """By path; others are 404."""
    visited: list[str] = field(default_factory=list)
    most_at_once: int = 0
    """Requests that were being answered at the same time."""
    base_url: str = ""

    @contextlib.asynccontextmanager
    async def serving(self) -> AsyncIterator[Website]:
        self._stopping = asyncio.Event()
        self._at_once = 0
        app = web.Application()
        app.router.add_get("/{path:.*}", self._counted)
        runner = web.AppRunner(app, shutdown_timeout=1.0)
        await runner.setup()
        try:
            await web.TCPSite(runner, "127.0.0.1", 0).start()
            self.base_url = f"http://127.0.0.1:{runner.addresses[0][1]}"
            yield self
        finally:
            self._stopping.set()
            await runner.cleanup()

    async def _counted(self, request: web.Request) -> web.StreamResponse:
        self._at_once += 1
        self.most_at_once = max(self.most_at_once, self._at_once)
        try:
            return await self._answer(request)
        finally:
            self._at_once -= 1

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        self.visited.append(request.path)
        page = self.pages.get(request.path, WebPage(b"nothing here", status=404))
        await asyncio.sleep(page.delay_seconds)
        headers = {"Content-Type": page.content_type} if page.content_type else {}
        if page.location is not None:
            headers["Location"] = page.location
        if page.etag:
            headers["ETag"] = page.etag
            if request.headers.get("If-None-Match") == page.etag:
                return web.Response(status=304, headers=headers)
        if page.encoding:
            headers["Content-Encoding"] = page.encoding
        if not (page.drips or page.is_endless):
            return web.Response(status=page.status, body=page.body, headers=headers)
        response = web.StreamResponse(status=page.status, headers=headers)
        await response.prepare(request)
        with contextlib.suppress(ConnectionError):
            while not self._stopping.is_set():
                await response.write(b"x" if page.drips else b"x" * 65_536)
                if page.drips:
                    with contextlib.suppress(TimeoutError):
                        await asyncio.wait_for(self._stopping.wait(), 0.02)
        return response
