"""Hashing a password takes every core for a moment, so it gives way to requests and calls."""

from __future__ import annotations

import asyncio
import os
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

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
    mine = os.getpriority(os.PRIO_PROCESS, threading.get_native_id())
    assert await _niceness_of_hashing() == max(10, mine)
    assert os.getpriority(os.PRIO_PROCESS, threading.get_native_id()) == mine


async def test_a_process_that_gives_way_already_hashes_as_nicely() -> None:
    def niceness() -> int:
        # Threads that this one starts inherit it.
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), 19)
        return asyncio.run(_niceness_of_hashing())

    with ThreadPoolExecutor(1) as nice_thread:
        assert await asyncio.get_running_loop().run_in_executor(nice_thread, niceness) == 19


async def test_where_a_thread_may_not_give_way_it_hashes_all_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(*_: int) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "setpriority", refuse)
    passwords = Passwords(QUICK_HASHER)
    stored = await passwords.hash("a password")
    assert await passwords.verify("a password", stored) == (True, None)


async def _niceness_of_hashing() -> int:
    passwords = Passwords(QUICK_HASHER)
    passwords._hash = watched = _Watched()  # type: ignore[assignment]
    await passwords.hash("a password")
    return watched.niceness
