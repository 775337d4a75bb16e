"""Refuses requests for host names that are not this installation's."""

from __future__ import annotations

from starlette.types import ASGIApp, Receive, Scope, Send

from control_plane.platform.errors import HostNotAllowed
from control_plane.platform.http.allowed_hosts import AllowedHosts
from control_plane.platform.http.problems import problem_response

_LONGEST_SHOWN = 100


class AllowedHostsMiddleware:
    """Answers 421 (RFC 9110, section 15.5.20) to requests for other hosts."""

    def __init__(self, app: ASGIApp, *, allowed: AllowedHosts) -> None:
        self._app = app
        self._allowed = allowed

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        host = _host_of(scope) if scope["type"] == "http" else None
        if host is None or host in self._allowed:
            await self._app(scope, receive, send)
            return
        problem = HostNotAllowed(
            f"This server does not answer for the host '{host[:_LONGEST_SHOWN]}'. Use its public "
            "address, or let its operator add the host's name to SWITCHBOARD_ALLOWED_HOSTS"
        )
        response = problem_response(problem, scope.get("state", {}).get("request_id"))
        await response(scope, receive, send)


def _host_of(scope: Scope) -> str | None:
    """``None`` if there is none. HTTP/1.0 permits that, and no browser does it."""
    values = (value for name, value in scope["headers"] if name == b"host")
    return next((value.decode("latin-1") for value in values), None)
