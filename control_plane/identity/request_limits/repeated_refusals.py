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
    has_bearer_token,
    is_publishable,
)
from control_plane.platform.errors import Problem
from control_plane.platform.http.problems import REFUSAL, problem_response

SECONDS = 1.0
_MOST_CLIENTS = 10_000

_Asked = tuple[str, str, str | None, str | None]
"""Method, path, credential and address; without the credential, every one of that address."""


class RepeatedRefusalsMiddleware:
    """For requests with bearer tokens, and for ``Problem``s that hold for a publishable key or for
    every token of an address. The answer is given again for ``SECONDS``, without authentication,
    body or database.

    A request with an ``Idempotency-Key`` is always looked at: it may have succeeded before.
    """

    def __init__(self, app: ASGIApp, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._app = app
        self._refusals: TTLCache[_Asked, Problem] = TTLCache(_MOST_CLIENTS, SECONDS, clock)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope) if scope["type"] == "http" else None
        if headers is None or not has_bearer_token(headers) or "idempotency-key" in headers:
            await self._app(scope, receive, send)
            return
        of_address = _asked(scope, None)
        of_client = _asked(scope, credential_identity(headers)) if is_publishable(headers) else None
        state = scope.setdefault("state", {})
        refusal = self._refusals.get(of_address)
        if refusal is None and of_client is not None:
            refusal = self._refusals.get(of_client)
        if refusal is not None:
            await problem_response(refusal, state.get("request_id"))(scope, receive, send)
            return
        await self._app(scope, receive, send)
        refusal = state.get(REFUSAL)
        if refusal is None:
            return
        if refusal.holds_for_address:
            self._refusals[of_address] = refusal
        elif refusal.holds_for_client and of_client is not None:
            self._refusals[of_client] = refusal


def _asked(scope: Scope, credential: str | None) -> _Asked:
    client = scope.get("client")
    address = address_identity(client[0] if client else None)
    return scope["method"], scope["path"], credential, address
