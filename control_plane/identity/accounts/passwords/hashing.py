"""Passwords: what makes one good enough, and their hashes (argon2id)."""

from __future__ import annotations

import asyncio
from functools import cached_property
from typing import Annotated

from pwdlib import PasswordHash
from pwdlib.hashers.argon2 import Argon2Hasher
from pydantic import StringConstraints

from control_plane.platform.errors import InvalidRequest

SHORTEST = 10
LONGEST = 200
"""So that nobody has us hash a megabyte."""
_HASHES_AT_ONCE = 2
"""Each takes 64 MiB and a core for a while."""

Password = Annotated[str, StringConstraints(max_length=LONGEST)]
"""One to compare. What a new one must be, ``check_new_password`` says."""


def check_new_password(password: str, *, email: str, field: str = "password") -> None:
    """Source: NIST SP 800-63B, 3.1.1.2: length counts, composition rules do not.

    Raises:
        InvalidRequest: it is too short, too long, one character over and over, or the address.
    """
    if not SHORTEST <= len(password) <= LONGEST:
        raise InvalidRequest.at(field, f"must have {SHORTEST} to {LONGEST} characters")
    if len(set(password)) == 1:
        raise InvalidRequest.at(field, "must not be one character over and over")
    if password.strip().lower() in (email, email.partition("@")[0]):
        raise InvalidRequest.at(field, "must not be the mail address")


class Passwords:
    """Hashes and compares, in threads of its own so that requests are served meanwhile."""

    def __init__(self, hasher: Argon2Hasher | None = None) -> None:
        self._hash = PasswordHash((hasher or Argon2Hasher(),))
        self._turn = asyncio.Semaphore(_HASHES_AT_ONCE)

    async def hash(self, password: str) -> str:
        async with self._turn:
            return await asyncio.to_thread(self._hash.hash, password)

    async def verify(self, password: str, stored: str | None) -> tuple[bool, str | None]:
        """Whether it is the password, and a new hash to store if the old one is out of date.

        ``stored=None`` (nobody, or nobody's password) is compared with something all the same, so
        that the answer takes as long and never says which it was.
        """
        async with self._turn:
            return await asyncio.to_thread(self._verify, password, stored)

    def _verify(self, password: str, stored: str | None) -> tuple[bool, str | None]:
        is_right, updated = self._hash.verify_and_update(password, stored or self._nobodys)
        return (is_right, updated) if stored is not None else (False, None)

    @cached_property
    def _nobodys(self) -> str:
        return self._hash.hash("nobody's password")
