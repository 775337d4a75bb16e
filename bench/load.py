"""Sending the same kind of request over and over, from few connections, at little cost of our own.

A library's client would cost as much as the server that is measured; this one writes prepared bytes
and looks at the status and the length of the answer only.
"""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import urlsplit

_LENGTH = b"\r\ncontent-length: "


@dataclass(frozen=True)
class Load:
    """What a run of requests took."""

    requests: int
    seconds: float
    latencies_ms: list[float]

    @property
    def per_second(self) -> float:
        return self.requests / self.seconds

    @property
    def median_ms(self) -> float:
        return statistics.median(self.latencies_ms)

    @property
    def p99_ms(self) -> float:
        return statistics.quantiles(self.latencies_ms, n=100, method="inclusive")[98]


def http_request(method: str, url: str, headers: dict[str, str], body: bytes = b"") -> bytes:
    """The bytes of one request of HTTP/1.1 that leaves its connection open."""
    address = urlsplit(url)
    lines = [
        f"{method} {address.path}{'?' + address.query if address.query else ''} HTTP/1.1",
        f"host: {address.netloc}",
        f"content-length: {len(body)}",
        "content-type: application/json",
        *(f"{name}: {value}" for name, value in headers.items()),
    ]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


async def send_load(
    url: str, request: Callable[[int], bytes], *, requests: int, connections: int, status: int
) -> Load:
    """Send ``request(0)``, ``request(1)``, … over ``connections`` that each wait for their answer.

    Raises:
        RuntimeError: an answer has another status than ``status``.
    """
    address = urlsplit(url)
    numbers = iter(range(requests))
    latencies_ms: list[float] = []

    async def send_in_turn() -> None:
        reader, writer = await asyncio.open_connection(address.hostname, address.port)
        for number in numbers:
            asked_at = time.perf_counter()
            writer.write(request(number))
            head = await reader.readuntil(b"\r\n\r\n")
            length_at = head.lower().index(_LENGTH) + len(_LENGTH)
            body = await reader.readexactly(int(head[length_at : head.index(b"\r", length_at)]))
            latencies_ms.append((time.perf_counter() - asked_at) * 1000)
            if int(head[9:12]) != status:
                raise RuntimeError(f"{head.decode()}{body.decode()}")
        writer.close()

    started_at = time.perf_counter()
    await asyncio.gather(*(send_in_turn() for _ in range(connections)))
    return Load(requests, time.perf_counter() - started_at, latencies_ms)
