"""Serves the modules and style sheets of a page."""

from __future__ import annotations

from pathlib import Path

from starlette.datastructures import MutableHeaders
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send


class PageFiles:
    """The files of a folder. Browsers keep them, and ask by ETag whether these are still the
    newest, because modules of two releases do not fit each other. Without the header a browser
    asks nothing for about a tenth of a file's age (RFC 9111, 4.2.2)."""

    def __init__(self, folder: Path) -> None:
        self._files: ASGIApp = StaticFiles(directory=folder)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_header(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).setdefault("Cache-Control", "no-cache")
            await send(message)

        await self._files(scope, receive, send_with_header)
