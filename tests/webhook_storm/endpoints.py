"""Twenty endpoints of several kinds on one port, and what has reached them."""

from __future__ import annotations

import asyncio
import json
from collections import Counter, defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum

SLOW_SECONDS = 1.0
HANGING_SECONDS = 60.0


class Kind(StrEnum):
    HEALTHY = "healthy"
    SLOW = "slow"
    HANGING = "hanging"
    FAILING = "failing"
    RESETTING = "resetting"


ENDPOINTS: tuple[Kind, ...] = (
    *[Kind.HEALTHY] * 8,
    *[Kind.SLOW] * 5,
    *[Kind.HANGING] * 3,
    *[Kind.FAILING] * 2,
    *[Kind.RESETTING] * 2,
)
HEALTHY = [number for number, kind in enumerate(ENDPOINTS) if kind is Kind.HEALTHY]


@dataclass
class Arrivals:
    """By endpoint, the number in ``ENDPOINTS``."""

    times: defaultdict[int, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    """How often each ``webhook-id`` came."""
    late_ms: defaultdict[int, list[float]] = field(default_factory=lambda: defaultdict(list))
    """From the event's time to its first arrival."""

    def note(self, endpoint: int, webhook_id: str, body: bytes) -> None:
        seen = self.times[endpoint]
        seen[webhook_id] += 1
        if seen[webhook_id] == 1:
            emitted = datetime.fromisoformat(json.loads(body)["timestamp"])
            self.late_ms[endpoint].append((datetime.now(UTC) - emitted).total_seconds() * 1000)


@asynccontextmanager
async def receiving(arrivals: Arrivals) -> AsyncIterator[int]:
    """Serves ``/0``, ``/1``, … on 127.0.0.1; yields the port."""
    tasks = set[asyncio.Task[None]]()

    def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(_serve(reader, writer, arrivals))
        tasks.add(task)
        task.add_done_callback(tasks.discard)

    server = await asyncio.start_server(accept, "127.0.0.1", 0, backlog=1024)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _serve(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, arrivals: Arrivals
) -> None:
    try:
        while await _answer(reader, writer, arrivals):
            pass
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    finally:
        writer.close()


async def _answer(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, arrivals: Arrivals
) -> bool:
    """Whether the connection stays open."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
    endpoint = int(head.partition("post /")[2].partition(" ")[0])
    body = await reader.readexactly(int(_header(head, "content-length")))
    kind = ENDPOINTS[endpoint]
    if kind is Kind.RESETTING:
        writer.transport.abort()
        return False
    if kind is Kind.HANGING:
        await asyncio.sleep(HANGING_SECONDS)
        return False
    if kind is Kind.SLOW:
        await asyncio.sleep(SLOW_SECONDS)
    if kind is not Kind.FAILING:
        arrivals.note(endpoint, _header(head, "webhook-id"), body)
    status = "500 No" if kind is Kind.FAILING else "204 Fine"
    writer.write(f"HTTP/1.1 {status}\r\nContent-Length: 0\r\n\r\n".encode())
    await writer.drain()
    return True


def _header(head: str, name: str) -> str:
    return head.partition(f"\r\n{name}: ")[2].partition("\r\n")[0]
