"""Receives a request's body before the route runs, and limits its size, the time it takes, and the
memory, or the disk, of all bodies together."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, contextmanager
from tempfile import TemporaryFile
from typing import IO

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from control_plane.platform.errors import (
    BodyNotReceived,
    BodyTooLarge,
    InvalidRequest,
    Problem,
    TooManyBodies,
)
from control_plane.platform.http.own_body_limits import BodyLimit, OwnBodyLimits
from control_plane.platform.http.problems import problem_response
from control_plane.platform.http.storable_input import is_json
from listeners.subscriber import subscriber_of

_DISCARDED_BYTES = 64 * 1024 * 1024
MOST_COMMAS = 20_000
"""In a JSON body: at most so many values are parsed, which holds the event loop for 4 ms. No route
takes nearly as many."""
HELD_BYTES = 256 * 1024 * 1024
HELD_BYTES_PER_ADDRESS = 32 * 1024 * 1024
SPOOLED_BYTES = 1024 * 1024 * 1024
SPOOLED_BYTES_PER_ADDRESS = 64 * 1024 * 1024
_CHUNK_BYTES = 64 * 1024


class HeldBodies:
    """The bodies that a process holds in memory, or on disk: half received ones, and those of
    requests that are being answered.

    Args:
        most_bytes: of all of them.
        most_bytes_per_address: of those that one subscriber has sent.
    """

    def __init__(self, most_bytes: int, most_bytes_per_address: int) -> None:
        self._most_bytes = most_bytes
        self._most_bytes_per_address = most_bytes_per_address
        self._bytes = 0
        self._bytes_of = Counter[str]()

    @contextmanager
    def of(self, address: str) -> Iterator[HeldBody]:
        """The memory for a body, until the end of the block."""
        body = HeldBody(self, address)
        try:
            yield body
        finally:
            self._count(address, -body.bytes)

    def add(self, address: str, size: int) -> None:
        """
        Raises:
            TooManyBodies: the limit would be exceeded.
        """
        if (
            self._bytes + size > self._most_bytes
            or self._bytes_of[address] + size > self._most_bytes_per_address
        ):
            raise TooManyBodies
        self._count(address, size)

    def _count(self, address: str, size: int) -> None:
        self._bytes += size
        self._bytes_of[address] += size
        if not self._bytes_of[address]:
            del self._bytes_of[address]


class HeldBody:
    def __init__(self, bodies: HeldBodies, address: str) -> None:
        self.bytes = 0
        self._bodies = bodies
        self._address = address

    def grow(self, size: int) -> None:
        """Raises ``TooManyBodies``."""
        self._bodies.add(self._address, size)
        self.bytes += size


class BodyLimitMiddleware:
    """Answers 413 to a body over ``max_bytes``, 400 to JSON with more than ``MOST_COMMAS``, 408 to
    a body that does not arrive in time, and 503 to one for which there is no room.

    A body that is too large is read to its end (up to 64 MiB) and discarded: most clients send all
    of it before they read, and would otherwise see a broken connection instead of the response.

    Args:
        own_limits: of the routes that do not have ``max_bytes``.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        max_bytes: int,
        deadline_seconds: float = 30.0,
        held: HeldBodies | None = None,
        own_limits: OwnBodyLimits | None = None,
    ) -> None:
        self._app = app
        self._deadline_seconds = deadline_seconds
        self._held = held or HeldBodies(HELD_BYTES, HELD_BYTES_PER_ADDRESS)
        self._spooled = HeldBodies(SPOOLED_BYTES, SPOOLED_BYTES_PER_ADDRESS)
        self._shared_limit = BodyLimit(max_bytes)
        self._own_limits = own_limits or OwnBodyLimits()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        client = scope.get("client")
        address = client[0] if client else ""
        subscriber = subscriber_of(address) or address
        limit = self._own_limits.of(scope["method"], scope["path"]) or self._shared_limit
        room = self._spooled if limit.is_spooled else self._held
        with room.of(subscriber) as held, ExitStack() as closing:
            try:
                async with asyncio.timeout(self._deadline_seconds):
                    if limit.is_spooled:
                        file = closing.enter_context(TemporaryFile())
                        replay = await self._spooled_body(receive, held, limit, file)
                    else:
                        replay = await self._held_body(scope, receive, held, limit)
            except TimeoutError:
                problem: Problem = BodyNotReceived(
                    f"The body must arrive within {self._deadline_seconds:g} s",
                    # What is left of the body would be read as the next request.
                    headers={"Connection": "close"},
                )
            except (BodyTooLarge, InvalidRequest, TooManyBodies) as error:
                problem = error
            else:
                if replay is not None:
                    await self._app(scope, replay, send)
                return
        response = problem_response(problem, scope.get("state", {}).get("request_id"))
        await response(scope, receive, send)

    async def _held_body(
        self, scope: Scope, receive: Receive, held: HeldBody, limit: BodyLimit
    ) -> Receive | None:
        """Hands the whole body out; ``None`` if the client has disconnected."""
        body = bytearray()
        async for chunk in _chunks(receive, held, limit.bytes):
            if chunk is None:
                return None
            body += chunk
        if is_json(Headers(scope=scope).get("content-type", "")):
            _check_commas(body, limit)
        return _replaying(bytes(body), receive)

    async def _spooled_body(
        self, receive: Receive, held: HeldBody, limit: BodyLimit, file: IO[bytes]
    ) -> Receive | None:
        """As ``_held_body``, from ``file``."""
        async for chunk in _chunks(receive, held, limit.bytes):
            if chunk is None:
                return None
            await asyncio.to_thread(file.write, chunk)
        await asyncio.to_thread(file.seek, 0)
        return _replaying_file(file, receive)


async def _chunks(receive: Receive, held: HeldBody, most_bytes: int) -> AsyncIterator[bytes | None]:
    """The body as it arrives; ``None`` if the client has disconnected.

    Raises:
        BodyTooLarge: at the body's end.
        TooManyBodies: there is no room for it.
    """
    received = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            yield None
            return
        chunk = message.get("body", b"")
        received += len(chunk)
        if received <= most_bytes:
            held.grow(len(chunk))
            yield chunk
        if received > _DISCARDED_BYTES or not message.get("more_body", False):
            break
    if received > most_bytes:
        raise BodyTooLarge(f"A body may have at most {most_bytes} bytes")


def _check_commas(body: bytearray, limit: BodyLimit) -> None:
    if body.count(b",") <= MOST_COMMAS:
        return
    if not limit.may_have_long_texts:
        raise InvalidRequest.at(
            "body", f"must have at most {MOST_COMMAS:,} commas, between its values and in its texts"
        )
    # Without escaped quotes, every second part is a text.
    unescaped = body.replace(b"\\\\", b"").replace(b'\\"', b"")
    parts = unescaped.split(b'"', 2 * MOST_COMMAS)
    if len(parts) > 2 * MOST_COMMAS or sum(p.count(b",") for p in parts[::2]) > MOST_COMMAS:
        raise InvalidRequest.at("body", f"must have at most {MOST_COMMAS:,} values")


def _replaying(body: bytes, receive: Receive) -> Receive:
    """A ``receive`` that returns ``body``, and then the server's further messages."""
    handed_out = False

    async def replay() -> Message:
        nonlocal handed_out
        if handed_out:
            return await receive()
        handed_out = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay


def _replaying_file(file: IO[bytes], receive: Receive) -> Receive:
    """As ``_replaying``, in chunks."""
    handed_out = False

    async def replay() -> Message:
        nonlocal handed_out
        if handed_out:
            return await receive()
        chunk = await asyncio.to_thread(file.read, _CHUNK_BYTES)
        handed_out = len(chunk) < _CHUNK_BYTES
        return {"type": "http.request", "body": chunk, "more_body": not handed_out}

    return replay
