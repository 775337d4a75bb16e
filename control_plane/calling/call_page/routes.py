"""Serves the call page: plain HTML, CSS and one ES module, without a build step.

The page is opened as ``/s/TOKEN`` by a visitor of a public link or an invited tester, as
``/call?agent=AGENT_ID#key=sb_publishable_…`` to call an agent, and as
``/call#call=CALL_ID&token=ACCESS_TOKEN`` to join a call. The key and the access token are in the
fragment, which browsers never send to a server, so they do not appear in logs.
"""

from __future__ import annotations

from pathlib import Path

from fastapi import APIRouter, Request
from fastapi.responses import FileResponse, JSONResponse

from contracts.ice_settings import is_relay
from control_plane.platform.http.page_files import PageFiles

STATIC = Path(__file__).parent / "static"

PAGE_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        "connect-src 'self'; media-src 'self' blob: mediastream:; base-uri 'none'; "
        "form-action 'none'; frame-ancestors 'self'"
    ),
    "Permissions-Policy": "microphone=(self)",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-cache",
}


def call_page_router(ice_servers: tuple[str, ...]) -> APIRouter:
    """``GET /call`` and what pages of release 0.1 ask for; ``ice_servers`` are ``stun:`` or
    ``turn:`` URLs."""
    router = APIRouter(include_in_schema=False)

    @router.get("/call")
    async def page(request: Request) -> FileResponse:
        return FileResponse(STATIC / "index.html", headers=PAGE_HEADERS)

    @router.get("/s/{share_token}")
    async def visitors_page(share_token: str) -> FileResponse:
        # Whoever finds the address may call, so no search engine should show it.
        hidden = PAGE_HEADERS | {"X-Robots-Tag": "noindex"}
        return FileResponse(STATIC / "index.html", headers=hidden)

    @router.get("/call/config.json")
    async def configuration() -> JSONResponse:
        # Anybody may ask, so there are no credentials; with a TURN server but without them, the
        # page could not connect at all.
        return JSONResponse(
            {"ice_servers": [{"urls": url} for url in ice_servers if not is_relay(url)]}
        )

    return router


def call_page_files() -> PageFiles:
    """The page's style sheet and script, to be mounted at ``/call/static``."""
    return PageFiles(STATIC)
