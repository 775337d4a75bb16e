"""The answers to connections that are refused before the application sees a request."""

from __future__ import annotations

from http import HTTPStatus

from listeners.refusal import Full, HeadLate, NotHttp, Refusal, RefusalAnswer


def text_answer(refusal: Refusal, _scheme: str | None) -> RefusalAnswer:
    match refusal:
        case NotHttp():
            status, text = HTTPStatus.BAD_REQUEST, "This is not valid HTTP/1.1."
        case HeadLate(seconds):
            status = HTTPStatus.REQUEST_TIMEOUT
            text = f"The first line and the headers must arrive within {seconds:g} s."
        case Full():
            status, text = HTTPStatus.SERVICE_UNAVAILABLE, "Not now. Try again."
    body = f"{text}\n".encode()
    headers = [(b"content-type", b"text/plain"), (b"content-length", str(len(body)).encode())]
    return RefusalAnswer(status, headers, body)
