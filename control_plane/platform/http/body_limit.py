"""Receives a request's body before the route runs, and limits its size and the time it takes."""

from __future__ import annotations

import asyncio

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from control_plane.platform.errors import BodyNotReceived, BodyTooLarge, Problem
from control_plane.platform.http.problems import problem_response

_DISCARDED_BYTES = 64 * 1024 * 1024


class BodyLimitMiddleware:
    """Answers 413 to a body over ``max_bytes`` and 408 to one that does not arrive in time.

    A body that is too large is read to its end (up to 64 MiB) and discarded: most clients send all
    of it before they read, and would otherwise see a broken connection instead of the response.
    """

    def __init__(self, app: ASGIApp, *, max_bytes: int, deadline_seconds: float = 30.0) -> None:
        self._app = app
        self._max_bytes = max_bytes
        self._deadline_seconds = deadline_seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        try:
            async with asyncio.timeout(self._deadline_seconds):
                body = await self._read(receive)
        except TimeoutError:
            problem: Problem = BodyNotReceived(
                f"The body must arrive within {self._deadline_seconds:.0f} s",
                # What is left of the body would be read as the next request.
                headers={"Connection": "close"},
            )
        except BodyTooLarge as error:
            problem = error
        else:
            if body is not None:
                await self._app(scope, _replaying(body, receive), send)
            return
        response = problem_response(problem, scope.get("state", {}).get("request_id"))
        await response(scope, receive, send)

    async def _read(self, receive: Receive) -> bytes | None:
        """The whole body; ``None`` if the client has disconnected."""
        body = bytearray()
        received = 0
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                return None
            chunk = message.get("body", b"")
            received += len(chunk)
            if received <= self._max_bytes:
                body += chunk
            if received > _DISCARDED_BYTES or not message.get("more_body", False):
                break
        if received > self._max_bytes:
            raise BodyTooLarge(f"A body may have at most {self._max_bytes} bytes")
        return bytes(body)


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
