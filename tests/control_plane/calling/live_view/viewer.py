"""Watching a call over a real socket, and a worker's side of its live stream."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import httpx2
import uvicorn
from fastapi import FastAPI
from redis.asyncio import Redis

from contracts import redis_names
from contracts.live_messages import LiveBody, LiveMessage, LiveTranscript
from tests.control_plane.conftest import TenantClient
from tests.loopback_listener import loopback_listener

PATIENCE_SECONDS = 30.0


@dataclass(frozen=True)
class Event:
    name: str
    data: dict[str, Any]
    event_id: str | None

    @property
    def text(self) -> str | None:
        return self.data.get("text")


class Viewer:
    """An open stream, read event by event."""

    def __init__(
        self, response: httpx2.Response, patience_seconds: float = PATIENCE_SECONDS
    ) -> None:
        self.comments = 0
        self._patience_seconds = patience_seconds
        self._lines = response.aiter_lines()

    async def next(self) -> Event | None:
        """The next event; ``None`` at the end of the stream."""
        async with asyncio.timeout(self._patience_seconds):
            fields: dict[str, str] = {}
            async for line in self._lines:
                name, _, value = line.partition(":")
                if line.startswith(":"):
                    self.comments += 1
                elif line:
                    fields[name] = value.removeprefix(" ")
                elif "data" in fields:
                    return Event(fields["event"], json.loads(fields["data"]), fields.get("id"))
        return None

    async def take(self, count: int) -> list[Event]:
        return [event for _ in range(count) if (event := await self.next()) is not None]

    async def rest(self) -> list[Event]:
        """Everything up to the end of the stream."""
        events = []
        while (event := await self.next()) is not None:
            events.append(event)
        return events

    async def until_text(self, text: str) -> list[Event]:
        """Everything up to the words ``text``."""
        events: list[Event] = []
        while not events or events[-1].text != text:
            event = await self.next()
            assert event is not None, f"the stream ended before {text!r}: {events}"
            events.append(event)
        return events


@asynccontextmanager
async def served(app: FastAPI) -> AsyncIterator[str]:
    """The app behind uvicorn on a free port of the loopback."""
    listener = loopback_listener(1024)
    config = uvicorn.Config(
        app, log_level="warning", lifespan="off", timeout_graceful_shutdown=5, access_log=False
    )
    server = uvicorn.Server(config)
    task = asyncio.create_task(server.serve(sockets=[listener]))
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        await task


@asynccontextmanager
async def watching(
    url: str, tenant: TenantClient, call_id: object, last_event_id: str | None = None
) -> AsyncIterator[Viewer]:
    headers = tenant.headers | ({} if last_event_id is None else {"Last-Event-ID": last_event_id})
    async with (
        httpx2.AsyncClient(timeout=PATIENCE_SECONDS, verify=False) as http,
        http.stream("GET", f"{url}/v1/calls/{call_id}/stream", headers=headers) as response,
    ):
        assert response.status_code == 200, await response.aread()
        assert response.headers["content-type"].startswith("text/event-stream")
        yield Viewer(response)


async def tell(redis: Redis, call_id: UUID, *bodies: LiveBody) -> list[str]:
    """Append to the call's live stream as its worker does; returns the entries' ids."""
    return [
        str(
            await redis.xadd(
                redis_names.live_stream(call_id),
                {redis_names.FIELD: LiveMessage(body=body).model_dump_json()},
            )
        )
        for body in bodies
    ]


def words(
    text: str, utterance: int = 0, *, final: bool = True, sequence: int | None = None
) -> LiveTranscript:
    return LiveTranscript(
        utterance=utterance,
        speaker="user",
        text=text,
        is_final=final,
        at_ms=utterance * 1000,
        sequence=sequence,
    )
