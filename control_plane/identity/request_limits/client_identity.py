"""The clients that a request counts for: its credential and its address."""

from __future__ import annotations

import hashlib
from http.cookies import CookieError, SimpleCookie

from starlette.datastructures import Headers

from control_plane.identity.accounts.sessions.authentication import SESSION_COOKIE
from control_plane.identity.api_keys.secrets import PREFIXES
from control_plane.platform.http.client_address import subscriber_of

_HASH_BYTES = 16
_PUBLISHABLE = f"bearer {PREFIXES['publishable']}"


def is_publishable(headers: Headers) -> bool:
    """Whether the bearer token claims to be a publishable key."""
    return headers.get("authorization", "").lower().startswith(_PUBLISHABLE)


def credential_identity(headers: Headers) -> str | None:
    """A hash of the bearer token, or else of the session cookie; ``None`` if there is neither.

    The credential is not checked yet, on purpose: this limits guessing, too.
    """
    scheme, _, token = headers.get("authorization", "").partition(" ")
    credential = token.strip() if scheme.lower() == "bearer" else ""
    credential = credential or _session_of(headers.get("cookie", ""))
    if not credential:
        return None
    return hashlib.blake2b(credential.encode(), digest_size=_HASH_BYTES).hexdigest()


def address_identity(address: str | None) -> str | None:
    """The IPv4 address, or the /64 network of an IPv6 address."""
    return None if address is None else subscriber_of(address) or address


def _session_of(cookie_header: str) -> str:
    if SESSION_COOKIE not in cookie_header:
        return ""
    try:
        morsel = SimpleCookie(cookie_header).get(SESSION_COOKIE)
    except CookieError:
        return ""
    return "" if morsel is None else morsel.value
