"""Answers at once what was refused a moment ago, so that a stranger who asks again and again for
what the limits refuse does not slow down requests that are within the limits."""

from __future__ import annotations

import time
from collections.abc import Callable

from cachetools import TTLCache
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from control_plane.identity.request_limits.client_identity import (
    address_identity,
    credential_identity,
    is_publishable,
)
from control_plane.platform.errors import Problem
from control_plane.platform.http.problems import REFUSAL, problem_response

SECONDS = 1.0
_MOST_CLIENTS = 10_000

_Client = tuple[str, str, str | None, str | None]


class RepeatedRefusalsMiddleware:
    """For requests with publishable keys and ``Problem``s that hold for the client. The
    answer is given again for ``SECONDS``, without authentication, body or database.

    A request with an ``Idempotency-Key`` is always looked at: it may have succeeded before.
    """

    def __init__(self, app: ASGIApp, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._app = app
        self._refusals: TTLCache[_Client, Problem] = TTLCache(_MOST_CLIENTS, SECONDS, clock)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        client = _client_of(scope)
        if client is None:
            await self._app(scope, receive, send)
            return
        state = scope.setdefault("state", {})
        refusal = self._refusals.get(client)
        if refusal is not None:
            await problem_response(refusal, state.get("request_id"))(scope, receive, send)
            return
        await self._app(scope, receive, send)
        refusal = state.get(REFUSAL)
        if refusal is not None and refusal.holds_for_client:
            self._refusals[client] = refusal


def _client_of(scope: Scope) -> _Client | None:
    """Who asks for what; ``None`` if the request is to be looked at in any case."""
    if scope["type"] != "http":
        return None
    headers = Headers(scope=scope)
    if not is_publishable(headers) or "idempotency-key" in headers:
        return None
    address = scope.get("client")
    return (
        scope["method"],
        scope["path"],
        credential_identity(headers),
        address_identity(address[0] if address else None),
    )
