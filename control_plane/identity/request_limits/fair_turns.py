"""Shares the processor of an API process between tenants and strangers."""

from __future__ import annotations

from cachetools import TTLCache
from fastapi import Request
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from control_plane.identity.request_limits.client_identity import (
    address_identity,
    credential_identity,
)
from control_plane.platform.processor.turns import Turns

_OWNER = "credential_owner"
"""Name of the owner in the request's state."""
_TURNS_OF = "turns_of"
"""The same of who takes the turns."""
_KNOWN_SECONDS = 60.0
_MOST_KNOWN = 10_000


def note_owner(request: Request, owner: str) -> None:
    """The request's credential is valid and belongs to ``owner``, a tenant or the operator.

    Not for publishable keys: anybody can use them.
    """
    setattr(request.state, _OWNER, owner)


def turns_of(scope: Scope) -> str:
    """Whose turns the request takes: a tenant, the operator, or everybody else at an address."""
    client: str = scope["state"][_TURNS_OF]
    return client


class FairTurnsMiddleware:
    """Requests take turns: all keys and sessions of a tenant share one turn, and so does everybody
    else at one address: publishable keys, participants of calls, wrong and new credentials.

    A credential is new until a request with it was authenticated, and again a minute after the
    last one, so that a revoked one takes no turns of its tenant for long.
    """

    def __init__(self, app: ASGIApp, *, turns: Turns | None = None) -> None:
        self._app = app
        self._turns = turns or Turns()
        self._owners: TTLCache[str, str] = TTLCache(_MOST_KNOWN, _KNOWN_SECONDS)
        """By the hash of the credential."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        credential = credential_identity(Headers(scope=scope))
        owner = None if credential is None else self._owners.get(credential)
        peer = scope.get("client")
        address = address_identity(peer[0] if peer else None)
        client = f"address {address}" if owner is None else owner
        scope.setdefault("state", {})[_TURNS_OF] = client
        try:
            await self._turns.run(client, self._app(scope, receive, send))
        finally:
            found = scope["state"].get(_OWNER)
            if credential is not None and found is not None:
                self._owners[credential] = found
