"""Request ids, one log line per request, and a problem document for unexpected errors."""

from __future__ import annotations

import re
import time
from uuid import uuid4

import structlog
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from control_plane.platform.errors import Unexpected
from control_plane.platform.http.problems import problem_response
from telemetry.metrics import HTTP_REQUESTS, METHODS, listed
from telemetry.tracing import note_client_trace

HEADER = "X-Request-Id"
_ACCEPTED = re.compile(r"[A-Za-z0-9._~+/=-]{1,128}")
_PHONE_NUMBER = re.compile(r"(?<=/)(\+[^/]+|[0-9][0-9 ().-]{4,22}[0-9])(?=/|$)")
"""A part of a path that was meant as a phone number, where no route has taken it for one. No id of
ours looks like it."""
_SHARE_TOKEN = re.compile(r"(?<=^/s/)[^/]+|(?<=^/v1/shared/)[^/]+")
"""Also where no route has taken it for one: it opens what it names."""
_HELD_MS = "held_ms"
"""Name in the request's state."""
_log = structlog.get_logger(__name__)


def note_held(scope: Scope, seconds: float) -> None:
    """For the request's log line: so long its answer was ready, and not sent."""
    scope["state"][_HELD_MS] = round(seconds * 1000)


class RequestContextMiddleware:
    """Gives each request an id, or keeps the client's own if it is plain.

    The id is in ``request.state.request_id``, in every log line of the request, and in the header
    ``X-Request-Id`` of every response.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        request_id = _request_id(headers.get(HEADER))
        note_client_trace(headers.get("traceparent"))
        scope.setdefault("state", {})["request_id"] = request_id
        started_at = time.monotonic()
        status: int | None = None

        async def send_with_id(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                MutableHeaders(scope=message)[HEADER] = request_id
            await send(message)

        structlog.contextvars.clear_contextvars()
        with structlog.contextvars.bound_contextvars(request_id=request_id):
            try:
                await self._app(scope, receive, send_with_id)
            except Exception:
                path = _logged_path(scope)
                _log.exception("request_failed", method=scope["method"], path=path)
                if status is not None:
                    raise
                response = problem_response(Unexpected(), request_id)
                await response(scope, receive, send_with_id)
            finally:
                seconds = time.monotonic() - started_at
                HTTP_REQUESTS.labels(
                    listed(scope["method"], METHODS),
                    "none" if status is None else f"{status // 100}xx",
                ).observe(seconds)
                _log.info(
                    "request",
                    method=scope["method"],
                    path=_logged_path(scope),
                    status=status,
                    duration_ms=round(seconds * 1000, 1),
                    **_held(scope),
                    **_call_of(scope),
                )


def _held(scope: Scope) -> dict[str, int]:
    held_ms = scope["state"].get(_HELD_MS)
    return {} if held_ms is None else {_HELD_MS: held_ms}


def _call_of(scope: Scope) -> dict[str, str]:
    """The call that the path names. A call that is created is bound by its route."""
    call_id = scope.get("path_params", {}).get("call_id")
    return {} if call_id is None else {"call_id": str(call_id)}


def _logged_path(scope: Scope) -> str:
    """The path without phone numbers, which are about people, and without tokens, which open what
    they name."""
    path: str = scope["path"]
    for name, value in scope.get("path_params", {}).items():
        if name.endswith(("number", "token")):
            path = path.replace(f"/{value}", f"/{{{name}}}")
    path = _SHARE_TOKEN.sub("{share_token}", path)
    return _PHONE_NUMBER.sub("{number}", path)


def _request_id(sent: str | None) -> str:
    if sent is not None and _ACCEPTED.fullmatch(sent):
        return sent
    return uuid4().hex
