"""A receiver of webhooks, written with nothing of ours: raw sockets and Python's ``hmac``."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import hmac
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Received:
    path: str
    headers: dict[str, str]
    """Names in lower case."""
    body: bytes

    @property
    def document(self) -> dict[str, Any]:
        document: dict[str, Any] = json.loads(self.body)
        return document

    def is_signed_with(self, secret: str) -> bool:
        """By ``X-Svc-Signature`` over the raw body."""
        text = self.headers["x-svc-timestamp"].encode() + b"." + self.body
        expected = hmac.new(secret.encode(), text, hashlib.sha256).hexdigest()
        return hmac.compare_digest(expected, self.headers["x-svc-signature"])


@dataclass
class WebhookReceiver:
    """Answers with ``statuses``, one after the other, the last one for ever."""

    statuses: list[int] = field(default_factory=lambda: [200])
    answer: str = "thanks"
    hangs: bool = False
    resets: bool = False
    delay_seconds: float = 0.0
    location: str | None = None
    received: list[Received] = field(default_factory=list)
    url: str = ""

    @contextlib.asynccontextmanager
    async def serving(self) -> AsyncIterator[WebhookReceiver]:
        """Listens on 127.0.0.1 at ``url``."""
        tasks = set[asyncio.Task[None]]()

        def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = asyncio.create_task(self._serve(reader, writer))
            tasks.add(task)
            task.add_done_callback(tasks.discard)

        server = await asyncio.start_server(accept, "127.0.0.1", 0)
        try:
            self.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/hooks"
            yield self
        finally:
            server.close()
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while await self._answer_one(reader, writer):
                pass
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    async def _answer_one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        request_line, *lines = head.strip().split("\r\n")
        headers = {
            name.lower(): value.strip()
            for name, _, value in (line.partition(":") for line in lines)
        }
        body = await reader.readexactly(int(headers.get("content-length", "0")))
        self.received.append(Received(request_line.split(" ")[1], headers, body))
        if self.resets:
            writer.transport.abort()
            return False
        await asyncio.sleep(60.0 if self.hangs else self.delay_seconds)
        status = self.statuses.pop(0) if len(self.statuses) > 1 else self.statuses[0]
        location = f"Location: {self.location}\r\n" if self.location else ""
        writer.write(
            f"HTTP/1.1 {status} Status\r\n{location}"
            f"Content-Length: {len(self.answer.encode())}\r\n\r\n{self.answer}".encode()
        )
        await writer.drain()
        return True
