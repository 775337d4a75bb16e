"""Rules for new passwords, and password hashes (argon2id)."""

from __future__ import annotations

import asyncio
from functools import cached_property

from pwdlib import PasswordHash
from pwdlib.hashers.argon2 import Argon2Hasher

from control_plane.platform.errors import InvalidRequest

SHORTEST = 10
LONGEST = 200
"""Keeps anybody from making the server hash a megabyte."""
_HASHES_AT_ONCE = 2
"""Each hash takes 64 MiB and one core for a moment."""


def check_new_password(password: str, *, email: str, field: str = "password") -> None:
    """Check a new password. Source: NIST SP 800-63B, 3.1.1.2: length counts, composition rules do
    not.

    Raises:
        InvalidRequest: it is too short, too long, one repeated character, or the mail address.
    """
    if not SHORTEST <= len(password) <= LONGEST:
        raise InvalidRequest.at(field, f"must have {SHORTEST} to {LONGEST} characters")
    if len(set(password)) == 1:
        raise InvalidRequest.at(field, "must not be one repeated character")
    if password.strip().lower() in (email, email.partition("@")[0]):
        raise InvalidRequest.at(field, "must not be the mail address")


class Passwords:
    """Hashes and compares passwords in threads, so that other requests are served meanwhile."""

    def __init__(self, hasher: Argon2Hasher | None = None) -> None:
        self._hash = PasswordHash((hasher or Argon2Hasher(),))
        self._turn = asyncio.Semaphore(_HASHES_AT_ONCE)

    async def hash(self, password: str) -> str:
        async with self._turn:
            return await asyncio.to_thread(self._hash.hash, password)

    async def verify(self, password: str, stored: str | None) -> tuple[bool, str | None]:
        """Whether the password is right, and a new hash to store if the stored one is out of date.

        ``stored=None`` (no such user, or no password) is compared with a dummy hash, so that the
        time of the answer does not reveal which accounts exist.
        """
        async with self._turn:
            return await asyncio.to_thread(self._verify, password, stored)

    def _verify(self, password: str, stored: str | None) -> tuple[bool, str | None]:
        is_right, updated = self._hash.verify_and_update(password, stored or self._nobodys)
        return (is_right, updated) if stored is not None else (False, None)

    @cached_property
    def _nobodys(self) -> str:
        return self._hash.hash("nobody's password")
