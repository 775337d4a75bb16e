"""Server-sent events on the wire. Source: HTML Living Standard, section 9.2."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass

from fastapi.sse import format_sse_event
from pydantic import BaseModel
from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

MEDIA_TYPE = "text/event-stream"
RECONNECT_MS = 1_000
SEND_SECONDS = 30.0
"""A client that reads nothing for this long counts as disconnected."""
_CLOSING_SECONDS = 1.0

KEEP_ALIVE = format_sse_event(comment="keep-alive")
RECONNECTION_TIME = format_sse_event(retry=RECONNECT_MS)


@dataclass(frozen=True)
class ServerSentEvent:
    """A client that reconnects resumes after the last ``event_id`` that it got."""

    name: str
    data: BaseModel
    event_id: str | None = None

    def encode(self) -> bytes:
        return format_sse_event(
            event=self.name, data_str=self.data.model_dump_json(), id=self.event_id
        )


class EventStreamResponse(StreamingResponse):
    """Sends what ``events`` yields, until it ends or the client disconnects.

    ``events`` is always closed before the response ends.

    Args:
        stopped: ends the response when it is set, even if the client does not read.
        send_seconds: how long one event may take to send.
    """

    media_type = MEDIA_TYPE

    def __init__(
        self,
        events: AsyncGenerator[bytes, None],
        stopped: asyncio.Event,
        send_seconds: float = SEND_SECONDS,
    ) -> None:
        # Proxies must neither cache nor buffer the events.
        headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        super().__init__(events, headers=headers)
        self._events = events
        self._stopped = stopped
        self._send_seconds = send_seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        sending = asyncio.create_task(self._send_all(send))
        leaving = asyncio.create_task(_client_left(receive))
        stopping = asyncio.create_task(self._stopped.wait())
        tasks = {sending, leaving, stopping}
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)
        for task in tasks:
            if not task.cancelled():
                task.result()
        if sending.cancelled() and self._stopped.is_set():
            await _close(send)

    async def _send_all(self, send: Send) -> None:
        async with aclosing(self._events):
            start = {"type": "http.response.start", "status": 200, "headers": self.raw_headers}
            await send(start)
            try:
                async for chunk in self._events:
                    async with asyncio.timeout(self._send_seconds):
                        await send({"type": "http.response.body", "body": chunk, "more_body": True})
            except TimeoutError:
                return
            await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _client_left(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def _close(send: Send) -> None:
    """End a response whose body was cut short."""
    try:
        async with asyncio.timeout(_CLOSING_SECONDS):
            await send({"type": "http.response.body", "body": b"", "more_body": False})
    except TimeoutError:
        # The client does not read. The server closes the connection of such a response.
        return
