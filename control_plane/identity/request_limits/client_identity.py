"""The clients that a request counts for: its credential and its address."""

from __future__ import annotations

import hashlib
from http.cookies import CookieError, SimpleCookie

from fastapi.security.utils import get_authorization_scheme_param
from starlette.datastructures import Headers

from control_plane.identity.accounts.sessions.authentication import SESSION_COOKIE
from control_plane.identity.api_keys.secrets import PREFIXES
from listeners.subscriber import subscriber_of

_HASH_BYTES = 16


def has_bearer_token(headers: Headers) -> bool:
    return bool(_bearer_token(headers))


def is_publishable(headers: Headers) -> bool:
    """Whether the bearer token claims to be a publishable key."""
    return _bearer_token(headers).startswith(PREFIXES["publishable"])


def credential_identity(headers: Headers) -> str | None:
    """A hash of the bearer token, or else of the session cookie; ``None`` if there is neither.

    The credential is not checked yet, on purpose: this limits guessing, too.
    """
    credential = _bearer_token(headers) or _session_of(headers.get("cookie", ""))
    if not credential:
        return None
    return hashlib.blake2b(credential.encode(), digest_size=_HASH_BYTES).hexdigest()


def address_identity(address: str | None) -> str | None:
    """The IPv4 address, or the /64 network of an IPv6 address."""
    return None if address is None else subscriber_of(address) or address


def _bearer_token(headers: Headers) -> str:
    """Read in the way of FastAPI's ``HTTPBearer``, which authenticates: what it takes for a key is
    limited as one."""
    scheme, token = get_authorization_scheme_param(headers.get("authorization"))
    return token if scheme.lower() == "bearer" else ""


def _session_of(cookie_header: str) -> str:
    if SESSION_COOKIE not in cookie_header:
        return ""
    try:
        morsel = SimpleCookie(cookie_header).get(SESSION_COOKIE)
    except CookieError:
        return ""
    return "" if morsel is None else morsel.value
