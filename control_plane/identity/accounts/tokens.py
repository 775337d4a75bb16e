"""Random tokens that prove something: a session, a device, a mailbox. Pure."""

from __future__ import annotations

import hashlib
import hmac
import secrets

_RANDOM_BYTES = 32


def new_token() -> str:
    """256 random bits, to be given away once."""
    return secrets.token_urlsafe(_RANDOM_BYTES)


def hash_of(token: str) -> bytes:
    """What is stored in a token's place. SHA-256 is enough: a token cannot be guessed."""
    return hashlib.sha256(token.encode()).digest()


def csrf_token_of(session_token: str) -> str:
    """The session's CSRF token. Only who knows the session's own token can make it, and it does
    not reveal that token."""
    return hmac.new(session_token.encode(), b"csrf", hashlib.sha256).hexdigest()


def is_csrf_token(given: str | None, session_token: str) -> bool:
    return given is not None and hmac.compare_digest(
        given.encode(), csrf_token_of(session_token).encode()
    )
