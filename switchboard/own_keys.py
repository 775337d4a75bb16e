"""The installation's own keys, checked before anything is signed or sealed with them.

What an error says never repeats a key.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator

SHORTEST_SECRET_KEY_BYTES = 32


def secret_key(typed: str) -> str:
    """
    Raises:
        ValueError: it is too short.
    """
    # It signs tokens with HMAC-SHA-256, whose key must not be shorter (RFC 7518, 3.2).
    size = len(typed.encode())
    if size < SHORTEST_SECRET_KEY_BYTES:
        raise ValueError(
            f"has {size} bytes, and must have {SHORTEST_SECRET_KEY_BYTES} or "
            "more that nobody can guess; make one with: openssl rand -hex 32"
        )
    return typed


def encryption_keys(typed: tuple[str, ...]) -> tuple[str, ...]:
    """
    Raises:
        ValueError: one is no Fernet key, so that no request could seal a secret with it.
    """
    for number, key in enumerate(typed, start=1):
        if not _is_fernet_key(key):
            raise ValueError(
                f"key {number} is no Fernet key; make one with: "
                "openssl rand -base64 32 | tr '+/' '-_'"
            )
    return typed


def bridge_account_key(typed: str) -> str:
    """
    Raises:
        ValueError: it is no Fernet key.
    """
    if not _is_fernet_key(typed):
        raise ValueError("is no key of a bridge; print it with: switchboard encryption bridge-key")
    return typed


def _is_fernet_key(key: str) -> bool:
    # Imported here, so that commands start fast that open no secret.
    from contracts.sealing import Sealer

    try:
        Sealer([key])
    except ValueError:
        return False
    return True


SecretKey = Annotated[str, AfterValidator(secret_key)]
EncryptionKeys = Annotated[tuple[str, ...], AfterValidator(encryption_keys)]
BridgeAccountKey = Annotated[str, AfterValidator(bridge_account_key)]
