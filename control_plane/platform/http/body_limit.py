"""Receives a request's body before the route runs, and limits its size, the time it takes, and the
memory of all bodies together."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from control_plane.platform.errors import (
    BodyNotReceived,
    BodyTooLarge,
    InvalidRequest,
    Problem,
    TooManyBodies,
)
from control_plane.platform.http.client_address import subscriber_of
from control_plane.platform.http.problems import problem_response
from control_plane.platform.http.storable_input import is_json

_DISCARDED_BYTES = 64 * 1024 * 1024
MOST_COMMAS = 20_000
"""In a JSON body: at most so many values are parsed, which holds the event loop for 4 ms. No route
takes nearly as many."""
KNOWLEDGE_TEXT = re.compile(r"/v1/agents/[^/]+/knowledge-sources")
KNOWLEDGE_FILE = re.compile(r"/v1/agents/[^/]+/knowledge-sources/upload")
KNOWLEDGE_TEXT_BYTES = 6 * 1_048_576 + 16_384
"""1 MB of text, each byte of which JSON may write as six."""
KNOWLEDGE_TEXT_COMMAS = 1_048_576
KNOWLEDGE_FILE_BYTES = 10 * 1_048_576 + 16_384
HELD_BYTES = 256 * 1024 * 1024
HELD_BYTES_PER_ADDRESS = 32 * 1024 * 1024


class HeldBodies:
    """The bodies that a process holds in memory: half received ones, and those of requests that are
    being answered.

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
    a body that does not arrive in time, and 503 to one for which there is no memory.

    A body that is too large is read to its end (up to 64 MiB) and discarded: most clients send all
    of it before they read, and would otherwise see a broken connection instead of the response.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        max_bytes: int,
        deadline_seconds: float = 30.0,
        held: HeldBodies | None = None,
    ) -> None:
        self._app = app
        self._max_bytes = max_bytes
        self._deadline_seconds = deadline_seconds
        self._held = held or HeldBodies(HELD_BYTES, HELD_BYTES_PER_ADDRESS)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        client = scope.get("client")
        address = client[0] if client else ""
        limit = self._limit(scope["path"])
        with self._held.of(subscriber_of(address) or address) as held:
            try:
                async with asyncio.timeout(self._deadline_seconds):
                    body = await self._read(receive, held, limit.bytes)
                if body is not None and is_json(Headers(scope=scope).get("content-type", "")):
                    _check_commas(body, limit.commas)
            except TimeoutError:
                problem: Problem = BodyNotReceived(
                    f"The body must arrive within {self._deadline_seconds:g} s",
                    # What is left of the body would be read as the next request.
                    headers={"Connection": "close"},
                )
            except (BodyTooLarge, InvalidRequest, TooManyBodies) as error:
                problem = error
            else:
                if body is not None:
                    await self._app(scope, _replaying(body, receive), send)
                return
        response = problem_response(problem, scope.get("state", {}).get("request_id"))
        await response(scope, receive, send)

    def _limit(self, path: str) -> _Limit:
        """Routes for knowledge take longer bodies."""
        if KNOWLEDGE_FILE.fullmatch(path):
            return _Limit(KNOWLEDGE_FILE_BYTES, MOST_COMMAS)
        if KNOWLEDGE_TEXT.fullmatch(path):
            return _Limit(KNOWLEDGE_TEXT_BYTES, KNOWLEDGE_TEXT_COMMAS)
        return _Limit(self._max_bytes, MOST_COMMAS)

    async def _read(self, receive: Receive, held: HeldBody, most_bytes: int) -> bytes | None:
        """The whole body; ``None`` if the client has disconnected."""
        body = bytearray()
        received = 0
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                return None
            chunk = message.get("body", b"")
            received += len(chunk)
            if received <= most_bytes:
                held.grow(len(chunk))
                body += chunk
            if received > _DISCARDED_BYTES or not message.get("more_body", False):
                break
        if received > most_bytes:
            raise BodyTooLarge(f"A body may have at most {most_bytes} bytes")
        return bytes(body)


class _Limit(NamedTuple):
    bytes: int
    commas: int


def _check_commas(body: bytes, most_commas: int) -> None:
    if body.count(b",") > most_commas:
        raise InvalidRequest.at(
            "body", f"must have at most {most_commas:,} commas, between its values and in its texts"
        )


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
