"""The answer to bytes that are not an HTTP request. They do not reach the application."""

from __future__ import annotations

from contextlib import suppress
from http import HTTPStatus
from typing import Any
from uuid import uuid4

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from control_plane.platform.errors import InvalidRequest, Problem
from control_plane.platform.http.problems import problem_response
from control_plane.platform.http.request_context import HEADER
from control_plane.platform.http.security_headers import security_headers


class ProblemProtocol(H11Protocol):
    """uvicorn's protocol with a problem document instead of its plain text.

    It refuses a request with both ``Content-Length`` and ``Transfer-Encoding``: a proxy in front
    may go by the other one, and then a part of the body counts as the next request (RFC 9112,
    section 6.3).
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.conn = _OneFraming(h11.SERVER)

    def send_400_response(self, msg: str) -> None:
        self.refuse(
            InvalidRequest.at(
                "request",
                "is not valid HTTP/1.1: its first line, a header or the framing of its body",
            )
        )

    def refuse(self, problem: Problem) -> None:
        """Answer with a problem document, then close the connection, because it is unknown where
        the next request would begin."""
        request_id = uuid4().hex
        answer = problem_response(problem, request_id)
        answer.headers[HEADER] = request_id
        answer.headers.update(security_headers(self.scheme))
        answer.headers["Connection"] = "close"
        # h11 raises where no body may be sent: the request is a HEAD, or has an answer already.
        with suppress(h11.LocalProtocolError):
            for event in (
                h11.Response(
                    status_code=answer.status_code,
                    headers=answer.raw_headers,
                    reason=HTTPStatus(answer.status_code).phrase,
                ),
                h11.Data(data=bytes(answer.body)),
                h11.EndOfMessage(),
            ):
                self.transport.write(self.conn.send(event) or b"")
        self.transport.close()

    def _unsupported_upgrade_warning(self) -> None:
        """The header ``Upgrade`` may be ignored. A line for each would help to fill the log."""


class _OneFraming(h11.Connection):
    def next_event(self) -> Any:
        event = super().next_event()
        if isinstance(event, h11.Request):
            names = {name for name, _ in event.headers}
            if {b"content-length", b"transfer-encoding"} <= names:
                raise h11.RemoteProtocolError("both Content-Length and Transfer-Encoding")
        return event
