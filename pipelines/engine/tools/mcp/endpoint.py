"""One MCP endpoint: messages go there by HTTP POST, answers come as JSON or as server-sent events.

Source: modelcontextprotocol.io/specification/2025-06-18/basic/transports, "Streamable HTTP". We
open no GET stream: servers need it only for what they send unasked, which we would not read.
"""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import Any

import httpx2

from outbound.address import AddressRefused
from outbound.client import read_limited
from pipelines.engine.tools.mcp.messages import (
    McpFault,
    SessionEnded,
    is_answer,
    is_request,
    read_message,
    reply_to,
)

MOST_ANSWER_BYTES = 256 * 1024
"""Of one HTTP response. Lists of 100 tools are smaller."""
MOST_EVENTS = 1_000
"""Of one stream, for example reports of progress, until its answer must have come."""
_SESSION_ID = re.compile(r"[\x21-\x7e]{1,1024}")
"""Visible ASCII by the specification. The length is ours."""
_LONGEST_TYPE = 100


class Endpoint:
    """Keeps what every request of a session must carry."""

    def __init__(self, http: httpx2.AsyncClient, url: str, headers: Mapping[str, str]) -> None:
        """
        Args:
            http: a guarded client, which takes no response above ``MOST_ANSWER_BYTES``.
            headers: of the server's owner. Those of the protocol come first.
        """
        self._http = http
        self._url = url
        self._headers = headers
        self.session_id: str | None = None
        self.protocol_version: str | None = None

    async def ask(self, message: Mapping[str, Any]) -> dict[str, Any]:
        """Send a request, and return the answer to it. An ``initialize`` also sets the session.

        Raises:
            SessionEnded: and nothing was done.
            McpFault: for any other reason without an answer.
        """
        async with self._posted(message) as response:
            kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
            if kind == "application/json":
                answer = read_message(await read_limited(response, MOST_ANSWER_BYTES))
            elif kind == "text/event-stream":
                answer = await self._streamed(response, message["id"])
            else:
                shown = kind[:_LONGEST_TYPE] or "nothing"
                raise McpFault(f"it answered with {shown} instead of JSON or an event stream")
            if not is_answer(answer, message["id"]):
                raise McpFault("what it answered does not belong to the request")
            if message["method"] == "initialize":
                self.session_id = _session_id(response)
            return answer

    async def tell(self, message: Mapping[str, Any]) -> None:
        """Send what has no answer.

        Raises:
            McpFault: it was not accepted.
        """
        async with self._posted(message):
            pass

    async def end_session(self) -> None:
        """Tell the server that the session is over, if there is one.

        Raises:
            McpFault: the server was not reached. One may refuse (405).
        """
        if self.session_id is None:
            return
        headers, self.session_id = self._all_headers(), None
        with _faults():
            await self._http.delete(self._url, headers=headers)

    @asynccontextmanager
    async def _posted(self, message: Mapping[str, Any]) -> AsyncIterator[httpx2.Response]:
        with _faults():
            async with self._http.stream(
                "POST", self._url, headers=self._all_headers(), content=json.dumps(message).encode()
            ) as response:
                _check(response)
                yield response

    def _all_headers(self) -> httpx2.Headers:
        headers = httpx2.Headers(dict(self._headers))
        headers["Accept"] = "application/json, text/event-stream"
        headers["Content-Type"] = "application/json"
        for name, value in (
            ("Mcp-Session-Id", self.session_id),
            ("MCP-Protocol-Version", self.protocol_version),
        ):
            headers.pop(name, None)
            if value is not None:
                headers[name] = value
        return headers

    async def _streamed(self, response: httpx2.Response, number: int) -> dict[str, Any]:
        count = 0
        # Whatever the server declares: messages are UTF-8, and not all of Python's codecs are text.
        response.encoding = "utf-8"
        async for event in httpx2.EventSource(response, max_event_size=MOST_ANSWER_BYTES):
            count += 1
            if count > MOST_EVENTS:
                raise McpFault(f"it sent more than {MOST_EVENTS:,} events and no answer")
            if event.event != "message" or not event.data:
                continue
            message = read_message(event.data)
            if is_answer(message, number):
                return message
            if is_request(message):
                with suppress(McpFault):  # The answer may come all the same.
                    await self.tell(reply_to(message))
        raise McpFault("its event stream ended without an answer")


@contextmanager
def _faults() -> Iterator[None]:
    try:
        yield
    except (httpx2.HTTPError, AddressRefused) as error:
        raise McpFault(str(error) or type(error).__name__) from error


def _check(response: httpx2.Response) -> None:
    """
    Raises:
        McpFault: the status is not one of success.
    """
    status = response.status_code
    if status == httpx2.codes.NOT_FOUND and "Mcp-Session-Id" in response.request.headers:
        raise SessionEnded(f"HTTP {status}: it has ended the session")
    if httpx2.codes.is_redirect(status):
        raise McpFault(f"HTTP {status}: redirects are not followed")
    if not httpx2.codes.is_success(status):
        raise McpFault(f"HTTP {status}")


def _session_id(response: httpx2.Response) -> str | None:
    """
    Raises:
        McpFault: the server's session id may not be sent back.
    """
    session_id = response.headers.get("mcp-session-id")
    if session_id is not None and not _SESSION_ID.fullmatch(session_id):
        raise McpFault("its session id is not visible ASCII of at most 1,024 characters")
    return session_id
