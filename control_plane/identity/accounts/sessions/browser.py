"""What a browser brings along, and the cookies that it is given."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import timedelta
from typing import Annotated

from fastapi import Depends, Request, Response

from control_plane.identity.accounts.sessions.authentication import (
    SESSION_COOKIE,
    refuse_other_sites,
)
from control_plane.identity.accounts.sessions.lifetime import LONGEST_LIFE
from control_plane.identity.authentication.dependencies import Origin
from control_plane.platform.http.dependencies import AppSettings
from control_plane.platform.tenancy.caller import RequestOrigin

DEVICE_COOKIE = "switchboard_device"
_DEVICE_LIFE = timedelta(days=400)
"""The longest that browsers keep a cookie."""
_WELL_FORMED = re.compile(r"[A-Za-z0-9_-]{43}")


@dataclass(frozen=True)
class Browser:
    origin: RequestOrigin
    session_token: str | None = None
    device_token: str | None = None
    """Tells this browser from others, whoever logs in with it."""


async def browser_of(request: Request, origin: Origin) -> Browser:
    return Browser(
        origin=origin,
        session_token=_token(request, SESSION_COOKIE),
        device_token=_token(request, DEVICE_COOKIE),
    )


ThisBrowser = Annotated[Browser, Depends(browser_of)]


async def own_page_of(request: Request, settings: AppSettings, browser: ThisBrowser) -> Browser:
    """For routes without a caller, which would check this.

    Raises:
        ForeignOrigin: a page of another site would log its visitor in.
    """
    refuse_other_sites(request, settings.public_url)
    return browser


BrowserOnOwnPage = Annotated[Browser, Depends(own_page_of)]


def give_session(response: Response, token: str, *, is_https: bool) -> None:
    """The server decides when a session ends; the cookie only has to last as long."""
    _set(response, SESSION_COOKIE, token, LONGEST_LIFE, is_https)
    response.headers["Cache-Control"] = "no-store"


def give_device(response: Response, token: str, *, is_https: bool) -> None:
    _set(response, DEVICE_COOKIE, token, _DEVICE_LIFE, is_https)


def take_session(response: Response, *, is_https: bool) -> None:
    response.delete_cookie(SESSION_COOKIE, httponly=True, samesite="lax", secure=is_https)


def _set(response: Response, name: str, token: str, life: timedelta, is_https: bool) -> None:
    response.set_cookie(
        name,
        token,
        max_age=int(life.total_seconds()),
        httponly=True,
        # Not strict: links in our mails are opened from the mailbox's page, and whoever is logged
        # in should be so there. What changes something needs the CSRF token besides.
        samesite="lax",
        secure=is_https,
    )


def _token(request: Request, cookie: str) -> str | None:
    value = request.cookies.get(cookie)
    return value if value is not None and _WELL_FORMED.fullmatch(value) else None
