"""Secrets of tenants, encrypted wherever they are stored: tables, call plans, journals."""

from __future__ import annotations

import base64
from collections.abc import Sequence

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF


class CannotOpen(Exception):
    """The text was sealed with a key that we do not have, or it was changed."""


class Sealer:
    """Seals with the first key, opens with any (Fernet: AES-128-CBC with HMAC-SHA256).

    Args:
        keys: Fernet keys, 32 bytes in url-safe base64; the newest first.

    Raises:
        ValueError: there is no key, or one of them is not a Fernet key.
    """

    def __init__(self, keys: Sequence[str]) -> None:
        if not keys:
            raise ValueError("at least one encryption key is needed")
        self._newest = Fernet(keys[0])
        self._fernet = MultiFernet([Fernet(key) for key in keys])

    def seal(self, secret: str) -> str:
        return self._fernet.encrypt(secret.encode()).decode()

    def open(self, sealed: str) -> str:
        """
        Raises:
            CannotOpen: ``sealed`` cannot be decrypted.
        """
        try:
            return self._fernet.decrypt(sealed).decode()
        except InvalidToken as error:
            raise CannotOpen from error

    def reseal(self, sealed: str) -> str:
        """The same secret, sealed with the newest key; ``sealed`` itself if that is its key.

        Raises:
            CannotOpen: ``sealed`` cannot be decrypted.
        """
        try:
            self._newest.decrypt(sealed)
        except InvalidToken:
            pass
        else:
            return sealed
        try:
            return self._fernet.rotate(sealed).decode()
        except InvalidToken as error:
            raise CannotOpen from error


def derived_key(secret: str) -> str:
    """A Fernet key made from the installation's one secret (HKDF-SHA256, RFC 5869)."""
    return _derived(secret, b"switchboard encryption at rest")


def bridge_key(secret: str) -> str:
    """The Fernet key that telephony bridges get instead of the secret. It opens carriers'
    credentials in ``CarrierAccount``, and nothing else."""
    return _derived(secret, b"switchboard bridge")


def _derived(secret: str, purpose: bytes) -> str:
    derive = HKDF(algorithm=SHA256(), length=32, salt=None, info=purpose)
    return base64.urlsafe_b64encode(derive.derive(secret.encode())).decode()
