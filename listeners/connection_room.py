"""How many connections a process may have, and which one goes when there are too many. Pure.

A connection costs an attacker nothing, and the process a file descriptor. Without descriptors it
could not even reach its database.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Protocol

import structlog

ACCEPTED_AT_ONCE = 16
"""How many connections the event loop accepts before it looks at anything else: each takes 0.3 ms,
in which requests wait."""
RESERVED_FILES = 512
"""Descriptors for what is accepted before a limit can act, and for the process's own files."""
_FEWEST = 64

_log = structlog.get_logger(__name__)


def most_connections(wanted: int, open_files: int, files_each: int = 1) -> int:
    """How many connections a process may have that may open so many files.

    Args:
        files_each: that a connection takes with all that is opened for it.
    """
    return max(_FEWEST, min(wanted, (open_files - RESERVED_FILES) // files_each))


class OncePerSecond:
    """Counts events, and says once in a second how many there were. Pure: the clock is injected."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._next_at = float("-inf")
        self._counted = 0

    def count(self) -> int | None:
        """The events since the last report, or ``None`` while it is too early for another one."""
        self._counted += 1
        now = self._clock()
        if now < self._next_at:
            return None
        self._next_at = now + 1.0
        counted, self._counted = self._counted, 0
        return counted


class Connection(Protocol):
    @property
    def address(self) -> str:
        """The subscriber at the other end, which may be a proxy."""

    def drop(self) -> None:
        """Close it at once, without an answer."""


class ConnectionRoom:
    """The connections of a process, and which of them wait for their clients.

    Args:
        most: connections at once. One more closes the connection that has waited longest for its
            client: one of the same address, if that has many of them, or else any. If all of them
            are being answered, the new one gets a 503.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self._many_of_an_address = most // 4
        self._waiting: dict[Connection, None] = {}
        """In the order in which the waits began."""
        self._of_address: dict[str, dict[Connection, None]] = {}
        """The same for each client's address."""
        self._reports = OncePerSecond()

    def waits(self, connection: Connection) -> None:
        self.is_answered(connection)
        self._waiting[connection] = None
        self._of_address.setdefault(connection.address, {})[connection] = None

    def is_answered(self, connection: Connection) -> None:
        self._waiting.pop(connection, None)
        of_address = self._of_address.get(connection.address, {})
        of_address.pop(connection, None)
        if not of_address:
            self._of_address.pop(connection.address, None)

    def make_room(self, address: str) -> bool:
        """Close a connection that waits for its client, for a new one from ``address``; ``False``
        if none waits."""
        if (counted := self._reports.count()) is not None:
            _log.warning("connections_limited", most=self.most, since_last_line=counted)
        same = self._of_address.get(address, {})
        longest = next(iter(same if len(same) > self._many_of_an_address else self._waiting), None)
        if longest is None:
            return False
        self.is_answered(longest)
        longest.drop()
        return True
