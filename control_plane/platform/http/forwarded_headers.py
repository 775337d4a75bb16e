"""The one place that reads the headers in which proxies say who their client is."""

from __future__ import annotations

import structlog
from starlette.types import ASGIApp, Receive, Scope, Send

from control_plane.platform.http.client_address import TrustedProxies, client_behind
from listeners.subscriber import parsed_address

_FORWARDED_FOR = b"x-forwarded-for"
_FORWARDED_PROTO = b"x-forwarded-proto"
_log = structlog.get_logger(__name__)


class ForwardedHeadersMiddleware:
    """Replaces the client and the scheme of a request by those that trusted proxies forward.

    It is the outermost middleware, so that limits, the audit log and the check of a page's origin
    all see the same client. It logs a warning for the first such header from a peer that is not
    trusted.
    """

    def __init__(self, app: ASGIApp, *, trusted: TrustedProxies) -> None:
        self._app = app
        self._trusted = trusted
        self._has_warned = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope.get("client") is not None:
            self._find_client(scope)
        await self._app(scope, receive, send)

    def _find_client(self, scope: Scope) -> None:
        sent = [each for each in scope["headers"] if each[0] in (_FORWARDED_FOR, _FORWARDED_PROTO)]
        if not sent:
            return
        peer = scope["client"][0]
        address = parsed_address(peer)
        if address is None or address not in self._trusted:
            self._warn(peer)
            return
        forwarded_for, forwarded_proto = (
            b",".join(value for name, value in sent if name == wanted).decode("latin-1")
            for wanted in (_FORWARDED_FOR, _FORWARDED_PROTO)
        )
        found = client_behind(peer, forwarded_for, forwarded_proto, self._trusted)
        scope["client"] = (found.address, 0)
        scope["scheme"] = found.scheme or scope["scheme"]

    def _warn(self, peer: str) -> None:
        if self._has_warned:
            return
        self._has_warned = True
        _log.warning(
            "forwarded_header_ignored",
            peer=peer,
            remedy="If this is your proxy, add its address to SWITCHBOARD_TRUSTED_PROXIES. "
            "Until then all its clients count as one.",
        )
