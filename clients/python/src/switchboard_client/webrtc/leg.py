"""One person's end of a call, over one connection after the other while the network changes."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Callable
from http import HTTPStatus
from types import TracebackType
from typing import Literal, Self

from switchboard_client.errors import (
    ApiError,
    ConnectionFailed,
    ServerUnreachable,
    UnexpectedAnswer,
)
from switchboard_client.webrtc.connection import MediaConnection, ReceivedFrame
from switchboard_client.webrtc.outgoing_track import SoundSource
from switchboard_client.webrtc.whip import IceServer, WhipSession

CONNECT_TIMEOUT_SECONDS = 15.0
ROOM_SECONDS = 15.0
"""How long the first offer is sent again while no worker has room for the call."""
SILENT_SECONDS = 4.0
"""The room sends fifty packets a second. When none has come for so long, the connection is lost."""
RECONNECT_SECONDS = 20.0
"""How long after the last packet a room lets a participant come back."""
ATTEMPT_SECONDS = 5.0
"""How long one new connection may take."""
_WAITS_SECONDS = (0.5, 1.0, 2.0)
"""After the first attempt, after the second, and after each later one."""
_NO_ROOM_WAIT_SECONDS = 2.0
"""If the API does not say when to ask again."""
_WATCH_EVERY_SECONDS = 0.1
_MOST_UNHEARD_FRAMES = 500
_FINAL = frozenset(
    {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN, HTTPStatus.NOT_FOUND, HTTPStatus.GONE}
)
"""Answers after which another offer is of no use: the token is not valid, or the call is over."""

LegState = Literal["connected", "reconnecting"]


class CallLeg:
    """A participant, from the first offer to the goodbye. An async context manager that leaves.

    When nothing comes from the server any more, the leg makes new connections until one is up, for
    at most ``RECONNECT_SECONDS``. The call goes on meanwhile and waits.

    Args:
        source: the sound to send, 20 ms at a time.
        on_message: takes each live message of the call as JSON text, which
            ``switchboard_client.live_messages.LiveMessage`` reads. After a reconnection, those that
            are still true come again.
        on_state: called with ``reconnecting`` when the connection is lost, and with ``connected``
            when there is a new one.
        relay_only: use no path but the one through the installation's TURN server.
    """

    def __init__(
        self,
        source: SoundSource,
        on_message: Callable[[str | bytes], None] | None = None,
        *,
        on_state: Callable[[LegState], None] | None = None,
        relay_only: bool = False,
    ) -> None:
        self._source = source
        self._on_message = on_message
        self._on_state = on_state
        self._relay_only = relay_only
        self._whip: WhipSession | None = None
        self._ice_servers: tuple[IceServer, ...] = ()
        self._connection: MediaConnection | None = None
        self._watching: asyncio.Task[None] | None = None
        self._frames: deque[ReceivedFrame] = deque(maxlen=_MOST_UNHEARD_FRAMES)
        self._changed = asyncio.Event()
        self._is_over = False

    async def connect(self, url: str, token: str) -> float:
        """Exchange offer and answer and wait for the media connection.

        While no worker has room for the call, the call waits, and so does this, for at most
        ``ROOM_SECONDS``: another call would hold more credit.

        Args:
            url, token: a participant's ``access``, from the answer that created the participant.

        Returns the monotonic time at which the connection was up.

        Raises:
            ServerUnreachable, ApiError, UnexpectedAnswer: the signalling failed.
            ConnectionFailed: no media connection within ``CONNECT_TIMEOUT_SECONDS``.
        """
        self._whip = WhipSession(url, token)
        self._ice_servers = await self._whip.ice_servers()
        connected_at = await self._first_connection(self._whip)
        self._watching = asyncio.create_task(self._watch(self._whip), name="watch-connection")
        return connected_at

    async def listen(self) -> AsyncIterator[ReceivedFrame]:
        """The frames that the other side sends, until it stops sending for good. If they are not
        read for 10 s, the oldest are dropped.

        Raises what ``on_state`` raised, or an unexpected error of a new connection.
        """
        while True:
            while self._frames:
                yield self._frames.popleft()
            if self._is_over:
                self._raise_failure()
                return
            self._changed.clear()
            await self._changed.wait()

    async def leave(self) -> None:
        """Leave the call, then close the connection. Idempotent. If it is cancelled, the connection
        is closed nevertheless."""
        try:
            if self._watching is not None:
                self._watching.cancel()
                await asyncio.wait([self._watching])
            if self._whip:
                await self._whip.leave()
        finally:
            if self._connection is not None:
                await self._connection.close()
            self._over()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.leave()

    async def _first_connection(self, whip: WhipSession) -> float:
        """As ``connect``."""
        until = time.monotonic() + ROOM_SECONDS
        while True:
            connection = self._connection = self._new_connection()
            try:
                return await connection.open(whip, CONNECT_TIMEOUT_SECONDS)
            except ApiError as refused:
                wait_seconds = refused.retry_after_seconds or _NO_ROOM_WAIT_SECONDS
                has_no_room = refused.status == HTTPStatus.SERVICE_UNAVAILABLE
                if not has_no_room or time.monotonic() + wait_seconds > until:
                    raise
            await connection.close()
            await asyncio.sleep(wait_seconds)

    def _new_connection(self) -> MediaConnection:
        return MediaConnection(
            self._source,
            self._ice_servers,
            self._received,
            self._on_message,
            relay_only=self._relay_only,
        )

    def _received(self, frame: ReceivedFrame) -> None:
        self._frames.append(frame)
        self._changed.set()

    def _over(self) -> None:
        self._is_over = True
        self._changed.set()

    def _raise_failure(self) -> None:
        watching = self._watching
        if watching is not None and watching.done() and not watching.cancelled():
            watching.result()

    def _tell(self, state: LegState) -> None:
        if self._on_state is not None:
            self._on_state(state)

    async def _watch(self, whip: WhipSession) -> None:
        """Replace a connection over which nothing comes, until the call is over."""
        try:
            while (connection := self._connection) is not None and not connection.was_closed:
                silent_seconds = time.monotonic() - connection.heard_at
                if silent_seconds < SILENT_SECONDS and not connection.has_failed:
                    await asyncio.sleep(_WATCH_EVERY_SECONDS)
                    continue
                self._tell("reconnecting")
                if not await self._reconnect(whip, connection):
                    break
                self._tell("connected")
        finally:
            self._over()

    async def _reconnect(self, whip: WhipSession, lost: MediaConnection) -> bool:
        """Whether a new connection is up. ``lost`` is given up with the first offer, even if
        something comes over it again: the server replaces it whenever it reads that offer."""
        deadline = lost.heard_at + RECONNECT_SECONDS
        attempt = 0
        while (left := deadline - time.monotonic()) > 0:
            connection = self._new_connection()
            try:
                async with asyncio.timeout(min(left, ATTEMPT_SECONDS)):
                    await connection.open(whip, ATTEMPT_SECONDS)
            except (
                ServerUnreachable,
                UnexpectedAnswer,
                ConnectionFailed,
                TimeoutError,
                OSError,
            ):
                await connection.close()
            except ApiError as refused:
                await connection.close()
                if refused.status in _FINAL:
                    return False
            except BaseException:
                await connection.close()
                raise
            else:
                self._connection = connection
                lost.stop_sending()
                await lost.close()
                return True
            await asyncio.sleep(_WAITS_SECONDS[min(attempt, len(_WAITS_SECONDS) - 1)])
            attempt += 1
        return False
