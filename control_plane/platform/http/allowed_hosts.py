"""Refuses requests for host names that are not this installation's.

A stranger's name can point at this machine. For a browser the stranger's page and our API are then
one site, and the page could read what the API answers, even where only this machine reaches it
(DNS rebinding). An IP address in the header ``Host`` cannot be pointed elsewhere, so addresses are
allowed: health checks of load balancers use them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from starlette.types import ASGIApp, Receive, Scope, Send

from control_plane.platform.errors import HostNotAllowed
from control_plane.platform.http.client_address import parsed_address
from control_plane.platform.http.problems import problem_response

ANY_HOST = "*"
_PATTERN = re.compile(r"\*|(\*\.)?[a-z0-9_-]+(\.[a-z0-9_-]+)*")
_HOST = re.compile(r"(\[[^\]]*\]|[^:]*)(:[0-9]*)?")
_LONGEST_SHOWN = 100


@dataclass(frozen=True)
class AllowedHosts:
    """
    Args:
        names: host names without a port, ``*.example.com`` for all names below one, ``*`` for every
            name. ``localhost`` and names below it are always allowed.

    Raises:
        ValueError: one of them is no such name.
    """

    names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in self.names:
            if not _PATTERN.fullmatch(name.lower()):
                raise ValueError(
                    f"'{name}' is no host name; write one like voice.example.com or "
                    "*.example.com, without a scheme or a port"
                )

    def __contains__(self, header: str) -> bool:
        """Whether the value of a header ``Host`` names one of them."""
        match = _HOST.fullmatch(header)
        if match is None:
            return False
        host = match[1].lower().removesuffix(".")
        if host in self._exact or ANY_HOST in self._exact:
            return True
        return host.endswith(self._endings) or parsed_address(host) is not None

    @cached_property
    def _exact(self) -> frozenset[str]:
        return frozenset({"localhost", *(name.lower() for name in self.names)})

    @cached_property
    def _endings(self) -> tuple[str, ...]:
        below = (name.lower()[1:] for name in self.names if name.startswith("*."))
        return (".localhost", *below)


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
