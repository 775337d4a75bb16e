"""A browser's cookies: reading and setting them."""

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
"""Browsers keep no cookie longer."""
_WELL_FORMED = re.compile(r"[A-Za-z0-9_-]{43}")


@dataclass(frozen=True)
class Browser:
    origin: RequestOrigin
    session_token: str | None = None
    device_token: str | None = None
    """Identifies this browser, for every user who logs in with it."""


async def browser_of(request: Request, origin: Origin) -> Browser:
    return Browser(
        origin=origin,
        session_token=_token(request, SESSION_COOKIE),
        device_token=_token(request, DEVICE_COOKIE),
    )


ThisBrowser = Annotated[Browser, Depends(browser_of)]


async def own_page_of(request: Request, settings: AppSettings, browser: ThisBrowser) -> Browser:
    """For routes without a caller. Routes with one check the origin when they find the caller.

    Raises:
        ForeignOrigin: the request comes from a page of another site, which could log its visitor
            in.
    """
    refuse_other_sites(request, settings.public_url)
    return browser


BrowserOnOwnPage = Annotated[Browser, Depends(own_page_of)]


def give_session(response: Response, token: str, *, is_https: bool) -> None:
    """The server decides when a session ends; the cookie lasts as long as the longest session."""
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
        # Not "strict": a link in a mail opens from the mailbox's page, and the user should be
        # logged in there, too. Requests that change something also need the CSRF token.
        samesite="lax",
        secure=is_https,
    )


def _token(request: Request, cookie: str) -> str | None:
    value = request.cookies.get(cookie)
    return value if value is not None and _WELL_FORMED.fullmatch(value) else None
