"""Serves ``/widget.js``: one file without dependencies, for pages of any origin.

It asks for ``/v1/shared/TOKEN`` and ``/v1/rtc/CALL``, so a link decides with ``allowed_origins`` on
which pages it works.
"""

from __future__ import annotations

from pathlib import Path

from fastapi import APIRouter
from fastapi.responses import FileResponse

WIDGET = Path(__file__).parent / "widget.js"
HEADERS = {
    # Pages that isolate themselves (COEP) may load it, too.
    "Cross-Origin-Resource-Policy": "cross-origin",
    "Cache-Control": "public, max-age=300",
}


def widget_router() -> APIRouter:
    router = APIRouter(include_in_schema=False)

    @router.get("/widget.js")
    async def widget() -> FileResponse:
        return FileResponse(WIDGET, media_type="text/javascript", headers=HEADERS)

    return router
