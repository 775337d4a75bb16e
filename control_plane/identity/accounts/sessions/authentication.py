"""Finds the caller of a dashboard session's cookie."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import cast
from urllib.parse import urlsplit

from fastapi import Request

from control_plane.identity.accounts.errors import EmailNotConfirmed, ForeignOrigin
from control_plane.identity.accounts.sessions import repository as session_repository
from control_plane.identity.accounts.sessions.lifetime import expires_at, must_note_use
from control_plane.identity.accounts.tokens import hash_of, is_csrf_token
from control_plane.identity.authentication.errors import CsrfTokenRequired
from control_plane.platform.database import Database
from control_plane.platform.errors import Unauthorized
from control_plane.platform.settings import ControlPlaneSettings
from control_plane.platform.tenancy.caller import Actor, Caller, RequestOrigin, Role

SESSION_COOKIE = "switchboard_session"
SESSION_SCHEME = "dashboard_session"
"""The name of the security scheme in the OpenAPI document."""
CSRF_HEADER = "X-CSRF-Token"
_WITHOUT_CONFIRMED_ADDRESS = ("/v1/me", "/v1/auth", "/v1/invitations/accept")
"""The routes about the person, which a session can use before the mail address is confirmed. An
invitation's token confirms it."""
_CHANGES_NOTHING = frozenset({"GET", "HEAD", "OPTIONS"})


async def caller_of_session(
    database: Database, token: str, request: Request, origin: RequestOrigin
) -> Caller:
    """The user of the session, in the session's tenant.

    The role is read from the membership each time, so a changed role counts at once.

    Raises:
        Unauthorized: the session is unknown, expired or revoked.
        ForeignOrigin: a page of another site sent the request.
        CsrfTokenRequired: the request changes something and lacks the session's CSRF token.
        EmailNotConfirmed: the route is not about the user, whose mail address is not confirmed.
        DatabaseUnavailable: PostgreSQL is down.
    """
    settings: ControlPlaneSettings = request.app.state.settings
    refuse_other_sites(request, settings.public_url)
    now = datetime.now(UTC)
    async with database.system_session() as session:
        found = await session_repository.find_open(session, hash_of(token), now=now)
        if found is None:
            raise Unauthorized("This session is unknown or has ended; log in again")
        opened, ttl_seconds = found.session, settings.session_ttl_seconds
        if must_note_use(opened.last_used_at, now, ttl_seconds):
            await session_repository.note_use(
                session,
                opened.id,
                used_at=now,
                ends_at=expires_at(opened.created_at, now, ttl_seconds),
            )
    if request.method not in _CHANGES_NOTHING and not is_csrf_token(
        request.headers.get(CSRF_HEADER), token, opened.tenant_id
    ):
        raise CsrfTokenRequired(
            f"Send the header {CSRF_HEADER} with the csrf_token from your login or GET /v1/me"
        )
    if not found.user.may_act and not _works_without_confirmed_address(request.url.path):
        raise EmailNotConfirmed(
            f"Use the token from the mail to {found.user.email}; a login sends that mail again"
        )
    return Caller(
        tenant_id=opened.tenant_id,
        actor=Actor("user", found.user.id, found.user.email),
        origin=origin,
        role=cast(Role, found.role),
    )


def _works_without_confirmed_address(path: str) -> bool:
    return any(
        path == prefix or path.startswith(f"{prefix}/") for prefix in _WITHOUT_CONFIRMED_ADDRESS
    )


def refuse_other_sites(request: Request, public_url: str) -> None:
    """Refuse requests from pages of other sites. Browsers send the page's origin with requests that
    change something or go to another origin.

    Raises:
        ForeignOrigin: the page's origin is neither the public address nor the address of this
            request.
    """
    page = request.headers.get("origin")
    if page is None:
        return
    own = {_origin_of(public_url), _origin_of(str(request.base_url))}
    if _origin_of(page) not in own:
        raise ForeignOrigin("Open the dashboard at the address of this installation")


def _origin_of(url: str) -> tuple[str, str, int | None]:
    """Scheme, host and port, without the scheme's default port. Text that is not a URL equals no
    origin."""
    try:
        parts = urlsplit(url.lower())
        port = parts.port
    except ValueError:
        return ("", url, None)
    is_default = (parts.scheme, port) in (("http", 80), ("https", 443))
    return (parts.scheme, parts.hostname or "", None if is_default else port)
