"""Random tokens that prove a session, a device or access to a mailbox. Pure."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from uuid import UUID

_RANDOM_BYTES = 32


def new_token() -> str:
    """A token of 256 random bits."""
    return secrets.token_urlsafe(_RANDOM_BYTES)


def hash_of(token: str) -> bytes:
    """The hash that is stored instead of the token. SHA-256 is enough, because a token cannot be
    guessed."""
    return hashlib.sha256(token.encode()).digest()


def csrf_token_of(session_token: str, tenant_id: UUID) -> str:
    """The CSRF token of a session in one of its person's tenants. Computing it takes the session
    token, and it does not reveal the session token.

    It changes with the tenant: a page that still shows another one must not change anything.
    """
    return hmac.new(session_token.encode(), b"csrf" + tenant_id.bytes, hashlib.sha256).hexdigest()


def is_csrf_token(given: str | None, session_token: str, tenant_id: UUID) -> bool:
    return given is not None and hmac.compare_digest(
        given.encode(), csrf_token_of(session_token, tenant_id).encode()
    )
