"""Closes connections whose clients keep them waiting."""

from __future__ import annotations

import asyncio
import enum
import random
from dataclasses import dataclass
from typing import Any, ClassVar

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from listeners.connection_room import ConnectionRoom
from listeners.refusal import AnswerTo, Full, HeadLate
from listeners.refusing_protocol import RefusingProtocol
from listeners.subscriber import subscriber_of

SPREAD = 0.05
"""A share of the time for a request's head."""
KEEP_ALIVE_SECONDS = 75
"""How long a connection may be idle between two requests. uvicorn watches this one."""


@dataclass(frozen=True)
class ConnectionTimes:
    """How long a client may keep the server waiting. More bytes do not prolong any of them. That a
    body arrives in time is the application's rule."""

    head_seconds: float = 10.0
    """For the head of a request, from the connection's or the request's first byte. Up to
    ``SPREAD`` longer, so that not all connections end at once that were opened at once."""
    linger_seconds: float = 5.0
    """For the rest of a body whose response has been sent already."""
    unread_seconds: float = 60.0
    """For reading what is waiting to be sent, and again for the rest of it when the connection is
    being closed."""


class _Wait(enum.Enum):
    """What a connection waits for its client to send or, of a response, to read."""

    HEAD = enum.auto()
    NEXT_REQUEST = enum.auto()
    BODY = enum.auto()
    REST_OF_BODY = enum.auto()
    REST_OF_RESPONSE = enum.auto()
    """The connection is being closed: the event loop does that once all is sent."""


class LimitedProtocol(RefusingProtocol):
    """One connection of a ``ConnectionRoom``, until it becomes a websocket."""

    room: ClassVar[ConnectionRoom]
    times: ClassVar[ConnectionTimes]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.address = ""
        """The subscriber at the other end of the connection, which may be a proxy."""
        self._wait: _Wait | None = None
        self._deadline: asyncio.TimerHandle | None = None
        self._unread: asyncio.TimerHandle | None = None
        self._is_websocket = False

    def drop(self) -> None:
        self.transport.abort()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if self.client:
            self.address = subscriber_of(self.client[0]) or self.client[0]
        is_over = len(self.connections) > self.room.most
        if is_over and not self.room.make_room(self.address):
            self.refuse(Full())
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

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        # Another protocol has the connection from here on. No limit of ours may end a call.
        self._is_websocket = True
        self._wait_for(None)
        self._stop_watching_reader()
        super().handle_websocket_upgrade(event)

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._watch_client()

    def timeout_keep_alive_handler(self) -> None:
        super().timeout_keep_alive_handler()
        self._watch_client()

    def pause_writing(self) -> None:
        super().pause_writing()
        if self._unread is None:
            seconds = self.times.unread_seconds
            self._unread = self.loop.call_later(seconds, self.drop)

    def resume_writing(self) -> None:
        super().resume_writing()
        self._stop_watching_reader()

    def _watch_client(self) -> None:
        wait = self._awaited()
        if wait is not self._wait:
            self._wait_for(wait)

    def _awaited(self) -> _Wait | None:
        if self._is_websocket:
            return None
        if self.transport.is_closing():
            return _Wait.REST_OF_RESPONSE if self.transport.get_write_buffer_size() else None
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
        if wait is _Wait.HEAD:
            seconds = self.times.head_seconds * (1 + random.random() * SPREAD)
            self._deadline = self.loop.call_later(seconds, self._head_is_late)
        elif wait is _Wait.REST_OF_BODY:
            self._deadline = self.loop.call_later(self.times.linger_seconds, self.drop)
        elif wait is _Wait.REST_OF_RESPONSE:
            self._deadline = self.loop.call_later(self.times.unread_seconds, self.drop)

    def _head_is_late(self) -> None:
        if self.conn.trailing_data[0]:
            self.refuse(HeadLate(self.times.head_seconds))
        else:
            self.transport.close()
        self._watch_client()

    def _stop_watching_reader(self) -> None:
        if self._unread is not None:
            self._unread.cancel()
            self._unread = None


def limited_protocol(
    room: ConnectionRoom, answer_to: AnswerTo, times: ConnectionTimes | None = None
) -> type[H11Protocol]:
    """The protocol for a server whose connections share ``room``."""
    limits = {
        "room": room,
        "answer_to": staticmethod(answer_to),
        "times": times or ConnectionTimes(),
    }
    return type("RoomProtocol", (LimitedProtocol,), limits)
