"""Refuses a client that asks for what it does not get at a steady pace, so that its requests cost
the installation little, however fast it sends them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from http import HTTPStatus

from cachetools import LRUCache
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from control_plane.identity.request_limits.fair_turns import turns_of
from control_plane.platform.http.request_context import note_held

AT_ONCE = 50
"""Refusals that a client gets without a wait, if it had none for a while."""
LONGEST_SECONDS = 5.0
"""Within the time that HTTP clients wait for an answer."""
_MOST_CLIENTS = 10_000


class RefusalPace:
    """Spaces each client's refusals (the generic cell rate algorithm, ATM Forum TM 4.0, 4.4.2).

    Args:
        per_second: what one client gets of them, more than 0.
    """

    def __init__(self, per_second: float) -> None:
        self._interval_seconds = 1 / per_second
        self._tolerance_seconds = AT_ONCE * self._interval_seconds
        self._due_at: LRUCache[str, float] = LRUCache(_MOST_CLIENTS)
        """When the next refusal of a client is due, were there no tolerance."""

    def held_seconds(self, client: str, now: float) -> float:
        """How long a refusal waits that is ready now, at most ``LONGEST_SECONDS``."""
        due_at = max(self._due_at.get(client, now), now)
        held = min(max(0.0, due_at - now - self._tolerance_seconds), LONGEST_SECONDS)
        latest = now + self._tolerance_seconds + LONGEST_SECONDS
        self._due_at[client] = min(due_at + self._interval_seconds, latest)
        return held


class PacedRefusalsMiddleware:
    """Holds answers with 4xx back. A client is who ``FairTurnsMiddleware``, outside of this one,
    takes it for. What succeeds is never held, and a refusal that is held costs no processor time
    and no connection to a database.

    Args:
        per_second: refusals for each client; 0 sets no pace.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        per_second: float,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._app = app
        self._pace = RefusalPace(per_second) if per_second else None
        self._clock = clock
        self._sleep = sleep

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        pace = self._pace
        if scope["type"] != "http" or pace is None:
            await self._app(scope, receive, send)
            return

        async def send_paced(message: Message) -> None:
            if message["type"] == "http.response.start" and _is_refusal(message["status"]):
                held_seconds = pace.held_seconds(turns_of(scope), self._clock())
                if held_seconds:
                    note_held(scope, held_seconds)
                    await self._sleep(held_seconds)
            await send(message)

        await self._app(scope, receive, send_paced)


def _is_refusal(status: int) -> bool:
    return HTTPStatus.BAD_REQUEST <= status < HTTPStatus.INTERNAL_SERVER_ERROR
