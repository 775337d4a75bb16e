"""Serves the API reference at ``/docs``: plain HTML, CSS and ES modules, without a build step.

The page asks for ``/openapi.json`` and draws it. It loads nothing from another host, so it works
where the installation has no way to the internet.
"""

from __future__ import annotations

from pathlib import Path

from fastapi import APIRouter
from fastapi.responses import FileResponse

from control_plane.platform.http.page_files import PageFiles

STATIC = Path(__file__).parent / "static"

PAGE_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "Cache-Control": "no-cache",
}


def api_reference_router() -> APIRouter:
    """``GET /docs``."""
    router = APIRouter(include_in_schema=False)

    @router.get("/docs")
    async def page() -> FileResponse:
        return FileResponse(STATIC / "index.html", headers=PAGE_HEADERS)

    return router


def api_reference_files() -> PageFiles:
    """The page's style sheet and modules, to be mounted at ``/docs/static``."""
    return PageFiles(STATIC)
