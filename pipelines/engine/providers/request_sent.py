"""Whether a request to a language model has left this machine. Vendors charge for no other."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from contextvars import ContextVar
from typing import Any

import httpx2

_BODY_SENT = "send_request_body.complete"
"""An event of the HTTP client's ``trace`` extension, after the protocol's name."""


class RequestSent:
    """Of one request. False until its provider says otherwise."""

    def __init__(self) -> None:
        self.is_sent = False


_current: ContextVar[RequestSent | None] = ContextVar("request_sent", default=None)


@contextlib.contextmanager
def watched() -> Iterator[RequestSent]:
    """What is asked meanwhile, also by tasks that begin meanwhile, is one request."""
    request = RequestSent()
    token = _current.set(request)
    try:
        yield request
    finally:
        _current.reset(token)


def sends_now() -> None:
    """The request goes out. For SDKs that do not tell when it is out."""
    if (request := _current.get()) is not None:
        request.is_sent = True


def tell_when_sent(client: Any) -> None:
    """
    Args:
        client: of an SDK that OpenAI's generator has made. They ask ``_prepare_request`` to prepare
            each request.
    """
    prepare = client._prepare_request

    async def prepare_and_watch(request: httpx2.Request) -> None:
        await prepare(request)
        sent = _current.get()
        if sent is None:
            return

        async def trace(event: str, info: dict[str, Any]) -> None:
            if event.endswith(_BODY_SENT):
                sent.is_sent = True

        request.extensions["trace"] = trace

    client._prepare_request = prepare_and_watch
