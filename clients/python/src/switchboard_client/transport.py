"""Sends requests over HTTP, blocking and awaited. ``retry`` decides what is sent again."""

from __future__ import annotations

import asyncio
import random
import time
from datetime import UTC, datetime
from typing import Any

import httpx2

from switchboard_client.errors import ServerUnreachable
from switchboard_client.request import Reply, Request
from switchboard_client.retry import Attempts, Failure, RetryPolicy

_NEVER_SENT = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout)


class Transport:
    """One server, over blocking connections."""

    def __init__(self, http: httpx2.Client, policy: RetryPolicy) -> None:
        self.http = http
        self._policy = policy

    def send(self, request: Request) -> Reply:
        """The reply, whether it is a success or not.

        Raises:
            ServerUnreachable: there was no reply.
        """
        attempts = Attempts(request, self._policy)
        while True:
            try:
                reply = reply_of(
                    self.http.request(
                        **arguments_of(request), timeout=timeout_of(request, self.http.timeout)
                    )
                )
            except httpx2.RequestError as error:
                wait_seconds = attempts.after_failure(failure_of(error), random.random())
                if wait_seconds is None:
                    raise unreachable(self.http.base_url, error) from error
            else:
                wait_seconds = attempts.after_reply(reply, asked_of(reply), random.random())
                if wait_seconds is None:
                    return attempts.settled(reply)
            time.sleep(wait_seconds)


class AsyncTransport:
    """One server, over asynchronous connections."""

    def __init__(self, http: httpx2.AsyncClient, policy: RetryPolicy) -> None:
        self.http = http
        self._policy = policy

    async def send(self, request: Request) -> Reply:
        """As ``Transport.send``."""
        attempts = Attempts(request, self._policy)
        while True:
            try:
                reply = reply_of(
                    await self.http.request(
                        **arguments_of(request), timeout=timeout_of(request, self.http.timeout)
                    )
                )
            except httpx2.RequestError as error:
                wait_seconds = attempts.after_failure(failure_of(error), random.random())
                if wait_seconds is None:
                    raise unreachable(self.http.base_url, error) from error
            else:
                wait_seconds = attempts.after_reply(reply, asked_of(reply), random.random())
                if wait_seconds is None:
                    return attempts.settled(reply)
            await asyncio.sleep(wait_seconds)


def arguments_of(request: Request) -> dict[str, Any]:
    shared: dict[str, Any] = {
        "method": request.method,
        # As ``params``, an empty query would take away one that the path has.
        "url": httpx2.URL(request.path).copy_merge_params(request.query),
        "headers": request.headers,
    }
    if (upload := request.upload) is not None:
        return shared | {
            "headers": {**request.headers, "Content-Type": upload.content_type},
            "files": {"file": (upload.name, upload.content)},
            "data": upload.texts,
        }
    return shared | ({} if request.body is None else {"json": request.body})


def timeout_of(request: Request, usual: httpx2.Timeout) -> httpx2.Timeout:
    """``usual``, with more time to answer where the API itself may need it."""
    if usual.read is None or usual.read >= request.slowest_answer_seconds:
        return usual
    limits = usual.as_dict() | {"read": request.slowest_answer_seconds}
    return httpx2.Timeout(**limits)


def reply_of(response: httpx2.Response) -> Reply:
    headers = {name.lower(): value for name, value in response.headers.items()}
    return Reply(response.status_code, headers, response.content)


def asked_of(reply: Reply) -> float | None:
    return reply.retry_after_seconds(datetime.now(UTC))


def failure_of(error: httpx2.RequestError) -> Failure:
    if isinstance(error, httpx2.UnsupportedProtocol):
        return Failure.IMPOSSIBLE
    return Failure.NOT_SENT if isinstance(error, _NEVER_SENT) else Failure.NOT_ANSWERED


def unreachable(server: object, error: httpx2.RequestError) -> ServerUnreachable:
    return ServerUnreachable(str(server).rstrip("/"), why(error))


def why(error: httpx2.RequestError) -> str:
    return str(error) or type(error).__name__
