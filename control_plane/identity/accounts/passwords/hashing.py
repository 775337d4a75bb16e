"""Rules for new passwords, and password hashes (argon2id)."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cached_property

from pwdlib import PasswordHash
from pwdlib.hashers.argon2 import Argon2Hasher

from control_plane.platform.errors import InvalidRequest

SHORTEST = 10
LONGEST = 200
"""Keeps anybody from making the server hash a megabyte."""
_HASHES_AT_ONCE = 2
"""Each hash takes 64 MiB and every core for a tenth of a second."""
_NICENESS = 10
"""Of the threads that hash (nice(2)): requests and calls on the same cores come first."""


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
        self._threads = ThreadPoolExecutor(
            max_workers=_HASHES_AT_ONCE, thread_name_prefix="passwords", initializer=_step_back
        )

    async def hash(self, password: str) -> str:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, self._hash.hash, password)

    async def verify(self, password: str, stored: str | None) -> tuple[bool, str | None]:
        """Whether the password is right, and a new hash to store if the stored one is out of date.

        ``stored=None`` (no such user, or no password) is compared with a dummy hash, so that the
        time of the answer does not reveal which accounts exist.
        """
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, self._verify, password, stored)

    def _verify(self, password: str, stored: str | None) -> tuple[bool, str | None]:
        is_right, updated = self._hash.verify_and_update(password, stored or self._nobodys)
        return (is_right, updated) if stored is not None else (False, None)

    @cached_property
    def _nobodys(self) -> str:
        return self._hash.hash("nobody's password")


def _step_back() -> None:
    """Give way to other threads. Those that argon2 starts inherit it. Only on Linux has each thread
    a niceness of its own.

    Nothing may be raised here: the pool would refuse all further work.
    """
    if sys.platform == "linux":
        thread_id = threading.get_native_id()
        with suppress(OSError):
            own = os.getpriority(os.PRIO_PROCESS, thread_id)
            # To become less nice needs a privilege.
            os.setpriority(os.PRIO_PROCESS, thread_id, max(_NICENESS, own))
