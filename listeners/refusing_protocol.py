"""The answer to bytes that are not an HTTP request. They do not reach the application."""

from __future__ import annotations

from contextlib import suppress
from http import HTTPStatus
from typing import Any, ClassVar

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from listeners.refusal import AnswerTo, NotHttp, Refusal


class RefusingProtocol(H11Protocol):
    """uvicorn's protocol with an answer of the application's kind instead of its plain text.

    It refuses a request with both ``Content-Length`` and ``Transfer-Encoding``: a proxy in front
    may go by the other one, and then a part of the body counts as the next request (RFC 9112,
    section 6.3).
    """

    answer_to: ClassVar[AnswerTo]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.conn = _OneFraming(h11.SERVER)

    def send_400_response(self, msg: str) -> None:
        self.refuse(NotHttp())

    def refuse(self, refusal: Refusal) -> None:
        """Answer, then close the connection, because it is unknown where the next request would
        begin."""
        answer = type(self).answer_to(refusal, self.scheme)
        # h11 raises where no body may be sent: the request is a HEAD, or has an answer already.
        with suppress(h11.LocalProtocolError):
            for event in (
                h11.Response(
                    status_code=answer.status,
                    headers=[*answer.headers, (b"connection", b"close")],
                    reason=HTTPStatus(answer.status).phrase,
                ),
                h11.Data(data=answer.body),
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
