"""Headers of every response that tell browsers to be strict with it."""

from __future__ import annotations

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_ALWAYS = {
    "X-Content-Type-Options": "nosniff",
    # For everything that is not a page. Pages bring a policy of their own.
    "Content-Security-Policy": (
        "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "Referrer-Policy": "no-referrer",
}
_BEHIND_TLS = _ALWAYS | {"Strict-Transport-Security": "max-age=31536000"}
"""For this host only: whether its subdomains speak TLS, too, is not ours to know."""


def security_headers(scheme: str | None) -> dict[str, str]:
    """
    Args:
        scheme: that of the client's own request, ``http`` or ``https``.
    """
    return _BEHIND_TLS if scheme == "https" else _ALWAYS


class SecurityHeadersMiddleware:
    """Adds them to every response that does not set them itself."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        added = security_headers(scope.get("scheme"))

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in added.items():
                    headers.setdefault(name, value)
            await send(message)

        await self._app(scope, receive, send_with_headers)
