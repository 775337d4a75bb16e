"""Serves the pages that mails link to: plain HTML, CSS and one ES module, without a build step.

A page is opened with the token from the mail, as ``/confirm-email?token=…``. It asks for a password
and sends both to the API. Opening it changes nothing, because programs that check mails for harm
open every link.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

from fastapi import APIRouter
from fastapi.responses import HTMLResponse
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from control_plane.identity.mailed_pages.pages import PAGES
from control_plane.platform.http.page_files import PageFiles

_HERE = Path(__file__).parent
PAGE_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    # The token is in the page's address.
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}


def mailed_pages_router() -> APIRouter:
    router = APIRouter(include_in_schema=False)
    templates = Environment(
        loader=FileSystemLoader(_HERE), autoescape=True, undefined=StrictUndefined
    )
    template = templates.get_template("mailed_page.html")
    for path, page in PAGES.items():
        router.add_api_route(path, _route(template.render(page=page)), methods=["GET"])
    return router


def _route(html: str) -> Callable[[], Awaitable[HTMLResponse]]:
    async def page() -> HTMLResponse:
        return HTMLResponse(html, headers=PAGE_HEADERS)

    return page


def mailed_page_files() -> PageFiles:
    """The pages' style sheet and script, to be mounted at ``/mailed-pages/static``."""
    return PageFiles(_HERE / "static")
