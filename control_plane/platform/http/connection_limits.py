"""Closes connections whose clients keep them waiting, and makes room when there are too many.

A connection costs an attacker nothing, and the process a file descriptor. Without descriptors it
could not even reach its database.
"""

from __future__ import annotations

import asyncio
import enum
import errno
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import h11
import structlog
from uvicorn.protocols.http.h11_impl import H11Protocol

from control_plane.platform.errors import RequestNotReceived, TooManyConnections
from control_plane.platform.http.malformed_requests import ProblemProtocol

ACCEPTED_AT_ONCE = 256
"""How many connections the event loop accepts before it looks at anything else."""
RESERVED_FILES = ACCEPTED_AT_ONCE + 256
"""Descriptors for what is accepted before a limit can act, and for the process's own files."""
KEEP_ALIVE_SECONDS = 75
"""How long a connection may be idle between two requests. uvicorn watches this one."""
_FEWEST = 64

_log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class ConnectionTimes:
    """How long a client may keep the server waiting. More bytes do not prolong any of them. That a
    body arrives in time is the rule of ``BodyLimitMiddleware``."""

    head_seconds: float = 10.0
    """For the head of a request, from the connection's or the request's first byte."""
    linger_seconds: float = 5.0
    """For the rest of a body whose response has been sent already."""
    unread_seconds: float = 60.0
    """For reading what is waiting to be sent."""


def most_connections(wanted: int, open_files: int) -> int:
    """How many connections a process may have that may open so many files."""
    return max(_FEWEST, min(wanted, open_files - RESERVED_FILES))


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


class ConnectionRoom:
    """The connections of a process, and which of them wait for their clients.

    Args:
        most: connections at once. One more closes the connection that has waited longest for its
            client: one of the same address, if that has many of them, or else any. If all of them
            are being answered, the new one gets a 503.
    """

    def __init__(self, most: int, times: ConnectionTimes | None = None) -> None:
        self.most = most
        self.times = times or ConnectionTimes()
        self._many_of_an_address = most // 4
        self._waiting: dict[LimitedProtocol, None] = {}
        """In the order in which the waits began."""
        self._of_address: dict[str, dict[LimitedProtocol, None]] = {}
        """The same for each client's address."""
        self._reports = OncePerSecond()

    def waits(self, connection: LimitedProtocol) -> None:
        self.is_answered(connection)
        self._waiting[connection] = None
        self._of_address.setdefault(connection.address, {})[connection] = None

    def is_answered(self, connection: LimitedProtocol) -> None:
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
        longest.transport.abort()
        return True


class _Wait(enum.Enum):
    """What a connection waits for its client to send."""

    HEAD = enum.auto()
    NEXT_REQUEST = enum.auto()
    BODY = enum.auto()
    REST_OF_BODY = enum.auto()


class LimitedProtocol(ProblemProtocol):
    """One connection of a ``ConnectionRoom``."""

    room: ClassVar[ConnectionRoom]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._wait: _Wait | None = None
        self._deadline: asyncio.TimerHandle | None = None
        self._unread: asyncio.TimerHandle | None = None

    @property
    def address(self) -> str:
        """The other end of the connection, which may be a proxy."""
        return self.client[0] if self.client else ""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        is_over = len(self.connections) > self.room.most
        if is_over and not self.room.make_room(self.address):
            self.refuse(TooManyConnections())
            return
        self._wait_for(_Wait.HEAD)

    def connection_lost(self, exc: Exception | None) -> None:
        self._wait_for(None)
        self._stop_watching_reader()
        super().connection_lost(exc)
        # uvicorn leaves it running after an error, and with it this object.
        self._unset_keepalive_if_required()

    def handle_events(self) -> None:
        super().handle_events()
        self._watch_client()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._watch_client()

    def pause_writing(self) -> None:
        super().pause_writing()
        if self._unread is None:
            seconds = self.room.times.unread_seconds
            self._unread = self.loop.call_later(seconds, self.transport.abort)

    def resume_writing(self) -> None:
        super().resume_writing()
        self._stop_watching_reader()

    def _watch_client(self) -> None:
        wait = None if self.transport.is_closing() else self._awaited()
        if wait is not self._wait:
            self._wait_for(wait)

    def _awaited(self) -> _Wait | None:
        if self.conn.their_state is h11.IDLE:
            has_begun = self._wait is _Wait.HEAD or bool(self.conn.trailing_data[0])
            return _Wait.HEAD if has_begun else _Wait.NEXT_REQUEST
        if self.conn.their_state is h11.SEND_BODY:
            return _Wait.REST_OF_BODY if self.cycle.response_complete else _Wait.BODY
        return None

    def _wait_for(self, wait: _Wait | None) -> None:
        self._wait = wait
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
        if wait is None:
            self.room.is_answered(self)
            return
        self.room.waits(self)
        times = self.room.times
        if wait is _Wait.HEAD:
            self._deadline = self.loop.call_later(times.head_seconds, self._head_is_late)
        elif wait is _Wait.REST_OF_BODY:
            self._deadline = self.loop.call_later(times.linger_seconds, self.transport.abort)

    def _head_is_late(self) -> None:
        if self.conn.trailing_data[0]:
            self.refuse(
                RequestNotReceived(
                    "The request's first line and headers must arrive within "
                    f"{self.room.times.head_seconds:.0f} s"
                )
            )
        else:
            self.transport.close()

    def _stop_watching_reader(self) -> None:
        if self._unread is not None:
            self._unread.cancel()
            self._unread = None


def limited_protocol(room: ConnectionRoom) -> type[H11Protocol]:
    """The protocol for a server whose connections share ``room``."""
    return type("RoomProtocol", (LimitedProtocol,), {"room": room})


class AcceptFailures:
    """The event loop's exception handler. The loop retries every second to accept connections that
    it has no file descriptors for, and reports each of them: here that is one line a second."""

    _OUT_OF_FILES = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})

    def __init__(self, reports: OncePerSecond | None = None) -> None:
        self._reports = reports or OncePerSecond()

    def __call__(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        is_accepting = str(context.get("message", "")).startswith("socket.accept()")
        if not (is_accepting and isinstance(error, OSError) and error.errno in self._OUT_OF_FILES):
            loop.default_exception_handler(context)
            return
        if (counted := self._reports.count()) is not None:
            _log.error("connections_not_accepted", reason=error.strerror, since_last_line=counted)
