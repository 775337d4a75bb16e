"""The socket to the model's server, and another one in its place when that loses nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack

import structlog
from google.genai import errors, types
from google.genai.live import AsyncSession
from livekit.agents import APIConnectionError, APIError, APIStatusError, APITimeoutError
from websockets.exceptions import InvalidStatus

log = structlog.get_logger(__name__)

Send = Callable[[AsyncSession], Awaitable[None]]
_OWN_STATUS_FROM = 1000
"""From there on, statuses are those of closed websockets (RFC 6455, section 7.4)."""


class LiveConnection:
    """Begins to connect at once, and tries no server twice in a row that has said nothing.

    Args:
        connect: makes a session of the SDK.
        opened: called with each session before anything else is sent.
        received: called with each message.
        is_idle: whether a connection could be lost now without loss of anything.
        failed: called once, with what has gone wrong.
        connect_seconds: that the server has to accept a session.
    """

    def __init__(
        self,
        connect: Callable[[], AbstractAsyncContextManager[AsyncSession]],
        opened: Send,
        received: Callable[[types.LiveServerMessage], None],
        is_idle: Callable[[], bool],
        failed: Callable[[APIError], None],
        connect_seconds: float,
    ) -> None:
        self._connect = connect
        self._opened = opened
        self._received = received
        self._is_idle = is_idle
        self._failed = failed
        self._connect_seconds = connect_seconds
        self._outbox: asyncio.Queue[Send] = asyncio.Queue()
        self._renewal = asyncio.Event()
        self._wants_renewal = False
        self._has_said_something = False
        self._has_failed = False
        self._task = asyncio.get_running_loop().create_task(self._run())

    def send(self, message: Send) -> None:
        """In order; kept until there is a connection."""
        self._outbox.put_nowait(message)

    def renew(self) -> None:
        """Connect again as soon as nothing is lost by it."""
        self._wants_renewal = True
        self.settle()

    def settle(self) -> None:
        """Call it when the connection may have become idle."""
        if self._wants_renewal and self._is_idle():
            self._renewal.set()

    async def aclose(self) -> None:
        self._has_failed = True
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)

    async def _run(self) -> None:
        try:
            while not self._has_failed:
                await self._serve()
        except Exception as error:  # noqa: BLE001 - reported to the call, which goes on without
            self._fail(error)

    async def _serve(self) -> None:
        self._renewal.clear()
        self._wants_renewal = False
        async with AsyncExitStack() as stack:
            # A server that hangs is not waited for when the socket is closed either.
            late = asyncio.get_running_loop().call_later(
                self._connect_seconds, self._fail, TimeoutError()
            )
            try:
                live = await stack.enter_async_context(self._connect())
                await self._opened(live)
            finally:
                late.cancel()
            await self._exchange(live)

    async def _exchange(self, live: AsyncSession) -> None:
        loop = asyncio.get_running_loop()
        tasks = [
            loop.create_task(work)
            for work in (self._send_to(live), self._receive_from(live), self._renewed())
        ]
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        error = next((task.exception() for task in done if task.exception() is not None), None)
        if error is None:
            return
        if not isinstance(error, Exception):
            raise error
        if self._is_idle() and self._has_said_something:
            self._has_said_something = False
            log.info("realtime.connects_again", why=type(error).__name__)
        else:
            self._fail(error)

    async def _send_to(self, live: AsyncSession) -> None:
        while True:
            await (await self._outbox.get())(live)

    async def _receive_from(self, live: AsyncSession) -> None:
        while True:
            # Ends with each turn.
            async for message in live.receive():
                self._has_said_something = True
                self._received(message)

    async def _renewed(self) -> None:
        await self._renewal.wait()

    def _fail(self, error: Exception) -> None:
        if not self._has_failed:
            self._has_failed = True
            self._failed(as_engine_error(error))


def as_engine_error(error: Exception) -> APIError:
    """What went wrong, as the engine's plugins would say it."""
    match error:
        case APIError():
            found = error
        case InvalidStatus():
            found = APIStatusError("refused", status_code=error.response.status_code)
        case errors.APIError() if error.code < _OWN_STATUS_FROM:
            found = APIStatusError("refused", status_code=error.code)
        case TimeoutError():
            found = APITimeoutError()
        case _:
            found = APIConnectionError()
    found.__cause__ = found.__cause__ or (error if found is not error else None)
    return found
