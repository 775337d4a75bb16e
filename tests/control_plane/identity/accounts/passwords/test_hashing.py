"""Hashing a password takes every core for a moment, so it gives way to requests and calls."""

from __future__ import annotations

import os
import threading

from control_plane.identity.accounts.passwords.hashing import Passwords
from tests.control_plane.conftest import QUICK_HASHER


class _Watched:
    """Stands in for the hasher of ``Passwords``: notes how nice the thread is that it runs in."""

    def __init__(self) -> None:
        self.niceness = 0

    def hash(self, password: str) -> str:
        self.niceness = os.getpriority(os.PRIO_PROCESS, threading.get_native_id())
        return "hash"


async def test_threads_that_hash_give_way_to_others() -> None:
    passwords = Passwords(QUICK_HASHER)
    passwords._hash = watched = _Watched()  # type: ignore[assignment]
    mine = os.getpriority(os.PRIO_PROCESS, threading.get_native_id())

    await passwords.hash("a password")

    assert watched.niceness == 10
    assert os.getpriority(os.PRIO_PROCESS, threading.get_native_id()) == mine
