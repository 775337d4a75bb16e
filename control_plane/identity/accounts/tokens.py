"""Random tokens that prove a session, a device or access to a mailbox. Pure."""

from __future__ import annotations

import hashlib
import hmac
import secrets

_RANDOM_BYTES = 32


def new_token() -> str:
    """A token of 256 random bits."""
    return secrets.token_urlsafe(_RANDOM_BYTES)


def hash_of(token: str) -> bytes:
    """The hash that is stored instead of the token. SHA-256 is enough, because a token cannot be
    guessed."""
    return hashlib.sha256(token.encode()).digest()


def csrf_token_of(session_token: str) -> str:
    """The session's CSRF token. Computing it takes the session token, and it does not reveal the
    session token."""
    return hmac.new(session_token.encode(), b"csrf", hashlib.sha256).hexdigest()


def is_csrf_token(given: str | None, session_token: str) -> bool:
    return given is not None and hmac.compare_digest(
        given.encode(), csrf_token_of(session_token).encode()
    )
