"""The page that the link in a notification's mail opens, and what its buttons do.

Opening the page changes nothing, because programs that check mails for harm open every link. The
token is the whole authorisation. The page shows what the mail was about, and nothing of an account.
"""

from __future__ import annotations

from datetime import UTC, datetime
from http import HTTPStatus
from pathlib import Path
from typing import Annotated, Literal

from fastapi import APIRouter, Query
from fastapi.responses import HTMLResponse
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from control_plane.identity.authentication.dependencies import Origin
from control_plane.notifying.notifications.categories import CATEGORIES
from control_plane.notifying.notifications.mail_choices.choosing import choose_mails
from control_plane.notifying.notifications.mail_choices.link import (
    PATH,
    VALID_FOR,
    LinkIsBroken,
    LinkIsOld,
    MailReader,
    reader_of,
)
from control_plane.platform.http.dependencies import AppDatabase, AppSettings

Wanted = Literal["none_of_these", "none", "these"]
_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; "
        "form-action 'self'; frame-ancestors 'none'"
    ),
    # The token is in the page's address.
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}
_DONE: dict[Wanted, str] = {
    "none_of_these": "You get no more mails about this.",
    "none": "You get no more mails about anything that happens in this account.",
    "these": "You get mails about this.",
}
_REFUSALS: dict[type[ValueError], tuple[HTTPStatus, str]] = {
    LinkIsBroken: (
        HTTPStatus.BAD_REQUEST,
        "This is not the whole link from the mail, or another installation sent it. "
        "Open the link again, or choose in the console.",
    ),
    LinkIsOld: (
        HTTPStatus.GONE,
        f"This link is older than {VALID_FOR.days} days. "
        "Open the one in a newer mail, or choose in the console.",
    ),
}
Reader = Annotated[str, Query()]


def mail_choices_router() -> APIRouter:
    router = APIRouter(include_in_schema=False)
    templates = Environment(
        loader=FileSystemLoader(Path(__file__).parent), autoescape=True, undefined=StrictUndefined
    )
    template = templates.get_template("mail_choices.html")

    def page(
        status: HTTPStatus, *, about: str = "", token: str = "", said: str = "", now: str = ""
    ) -> HTMLResponse:
        shown = template.render(path=PATH, about=about, token=token, said=said, now=now)
        return HTMLResponse(shown, status, headers=_HEADERS)

    def opened(token: str, settings: AppSettings) -> MailReader | HTMLResponse:
        try:
            return reader_of(token, settings.secret_key, datetime.now(UTC))
        except (LinkIsBroken, LinkIsOld) as error:
            status, said = _REFUSALS[type(error)]
            return page(status, said=said)

    @router.get(PATH)
    async def show(settings: AppSettings, reader: Reader = "") -> HTMLResponse:
        known = opened(reader, settings)
        if isinstance(known, HTMLResponse):
            return known
        return page(HTTPStatus.OK, about=known.category, token=reader)

    @router.post(PATH)
    async def choose(
        settings: AppSettings,
        database: AppDatabase,
        origin: Origin,
        reader: Reader = "",
        wanted: Annotated[Wanted, Query()] = "none_of_these",
    ) -> HTMLResponse:
        """Without ``wanted``, it is what mail programs send: RFC 8058, 3.2."""
        known = opened(reader, settings)
        if isinstance(known, HTMLResponse):
            return known
        categories = CATEGORIES if wanted == "none" else [known.category]
        async with database.system_session() as session:
            await choose_mails(
                session, known, list(categories), wanted=wanted == "these", origin=origin
            )
        return page(
            HTTPStatus.OK, about=known.category, token=reader, said=_DONE[wanted], now=wanted
        )

    return router
