"""The problem documents of connections that are refused before the application sees a request."""

from __future__ import annotations

from uuid import uuid4

from control_plane.platform.errors import (
    InvalidRequest,
    Problem,
    RequestNotReceived,
    TooManyConnections,
)
from control_plane.platform.http.problems import problem_response
from control_plane.platform.http.request_context import HEADER
from control_plane.platform.http.security_headers import security_headers
from listeners.refusal import Full, HeadLate, NotHttp, Refusal, RefusalAnswer


def problem_answer(refusal: Refusal, scheme: str | None) -> RefusalAnswer:
    request_id = uuid4().hex
    answer = problem_response(_problem(refusal), request_id)
    answer.headers[HEADER] = request_id
    answer.headers.update(security_headers(scheme))
    return RefusalAnswer(answer.status_code, answer.raw_headers, bytes(answer.body))


def _problem(refusal: Refusal) -> Problem:
    match refusal:
        case NotHttp():
            return InvalidRequest.at(
                "request",
                "is not valid HTTP/1.1: its first line, a header or the framing of its body",
            )
        case HeadLate(seconds):
            return RequestNotReceived(
                f"The request's first line and headers must arrive within {seconds:g} s"
            )
        case Full():
            return TooManyConnections()
