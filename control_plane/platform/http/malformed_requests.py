"""The answer to bytes that are not an HTTP request. They do not reach the application."""

from __future__ import annotations

from http import HTTPStatus
from uuid import uuid4

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from control_plane.platform.errors import InvalidRequest
from control_plane.platform.http.problems import problem_response
from control_plane.platform.http.request_context import HEADER


class ProblemProtocol(H11Protocol):
    """uvicorn's protocol with a problem document instead of its plain text."""

    def send_400_response(self, msg: str) -> None:
        """Answer with a problem document, then close the connection, because it is unknown where
        the next request would begin."""
        request_id = uuid4().hex
        problem = InvalidRequest.at(
            "request", "is not valid HTTP/1.1: its first line, a header or the framing of its body"
        )
        answer = problem_response(problem, request_id)
        answer.headers[HEADER] = request_id
        answer.headers["Connection"] = "close"
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
