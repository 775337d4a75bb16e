"""Serves the console: plain HTML, CSS and ES modules, without a build step.

The server answers the one page for every address below ``/console``; the page's own router reads
the address. The page knows nothing that the public API does not tell a dashboard session.
"""

from __future__ import annotations

from http import HTTPStatus
from pathlib import Path

from fastapi import APIRouter, Request
from fastapi.responses import FileResponse, RedirectResponse

from control_plane.platform.http.page_files import PageFiles

STATIC = Path(__file__).parent / "static"
HOME = "/console"

PAYMENTS = f"{HOME}/payments"


def page_headers(checkout_url: str | None = None) -> dict[str, str]:
    """
    Args:
        checkout_url: a hosted checkout to which the page posts a form.
    """
    forms = "'self'" if checkout_url is None else f"'self' {checkout_url}"
    return {
        "Content-Security-Policy": (
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
            "connect-src 'self'; media-src 'self' blob:; frame-src 'self'; base-uri 'none'; "
            # No script can make elements of text, so data of tenants never becomes markup.
            "require-trusted-types-for 'script'; trusted-types 'none'; "
            f"form-action {forms}; frame-ancestors 'none'"
        ),
        # For the call page, which the console shows in a frame.
        "Permissions-Policy": "microphone=(self)",
        "Cache-Control": "no-cache",
    }


def console_router(checkout_url: str | None = None) -> APIRouter:
    """``GET /``, which leads to the console, its one page, and the way back from a hosted checkout.

    Args:
        checkout_url: see ``page_headers``.
    """
    router = APIRouter(include_in_schema=False)
    headers = page_headers(checkout_url)

    @router.get("/")
    async def start() -> RedirectResponse:
        return RedirectResponse(HOME)

    async def page() -> FileResponse:
        return FileResponse(STATIC / "index.html", headers=headers)

    async def back_from_checkout(request: Request) -> RedirectResponse:
        """The gateway's events say what was paid; its form is not read."""
        address = f"{PAYMENTS}?{request.url.query}"
        return RedirectResponse(address, status_code=HTTPStatus.SEE_OTHER)

    router.add_api_route(PAYMENTS, back_from_checkout, methods=["POST"])
    router.add_api_route(HOME, page, methods=["GET"])
    router.add_api_route(HOME + "/{address:path}", page, methods=["GET"])
    return router


def console_files() -> PageFiles:
    """The page's modules and style sheets, to be mounted at ``/console/static`` before the router,
    whose page has every other address there."""
    return PageFiles(STATIC)
