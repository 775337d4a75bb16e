"""Many slow connections of one attacker beside the requests of somebody else."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import time
from pathlib import Path

import pytest

from switchboard.services.ports import LOOPBACK, free_port
from tests.own_api import serving

OPEN_FILES = 600
"""What the server's process may open, fewer than the attacker has connections."""
CONNECTIONS = 700
REQUESTS = 150
NEIGHBOUR = "127.0.0.2"
REQUEST = b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
OPENINGS = (
    b"",
    b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ",
    b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 500000\r\n\r\n",
)
"""Idle connections, half a head and half a body."""


async def slow_connection(port: int, opening: bytes) -> None:
    """Send a byte now and then, and connect again whenever the server hangs up."""
    while True:
        with contextlib.suppress(OSError):
            reader, writer = await asyncio.open_connection(LOOPBACK, port)
            writer.write(opening)
            try:
                while opening and not reader.at_eof():
                    writer.write(b"x")
                    await asyncio.sleep(1.0)
                await reader.read()
            finally:
                writer.close()
        await asyncio.sleep(1.0)


async def request_ms(port: int) -> float:
    """One request of the neighbour's, on a connection of its own."""
    began = time.monotonic()
    async with asyncio.timeout(10):
        reader, writer = await asyncio.open_connection(LOOPBACK, port, local_addr=(NEIGHBOUR, 0))
        writer.write(REQUEST)
        answer = await reader.read()
        writer.close()
    assert answer.startswith(b"HTTP/1.1 200 "), answer[:80]
    return (time.monotonic() - began) * 1000


async def slowest_ms(port: int) -> float:
    """The 99th percentile of some requests, one after another."""
    times = []
    for _ in range(REQUESTS):
        times.append(await request_ms(port))
        await asyncio.sleep(0.01)
    return sorted(times)[int(len(times) * 0.99)]


@pytest.mark.latency
async def test_slow_connections_take_nothing_from_others(tmp_path: Path) -> None:
    port, log = free_port(), tmp_path / "log"
    arguments = ["-m", "tests.switchboard.small_api", str(port), str(OPEN_FILES)]
    with serving(arguments, {}, f"http://{LOOPBACK}:{port}/", log):
        quiet_ms = await slowest_ms(port)
        openings = itertools.islice(itertools.cycle(OPENINGS), CONNECTIONS)
        began = time.monotonic()
        attack = [asyncio.create_task(slow_connection(port, opening)) for opening in openings]
        await asyncio.sleep(1.0)
        under_attack_ms = await slowest_ms(port)
        seconds = time.monotonic() - began
        for task in attack:
            task.cancel()
        await asyncio.wait(attack)
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    events = [line["event"] for line in lines]
    assert "connections_limited" in events
    assert "connections_not_accepted" not in events, "the process ran out of descriptors"
    assert len(lines) <= seconds + 20, "a line a second, and those of the start"
    assert under_attack_ms <= max(2 * quiet_ms, 250), (quiet_ms, under_attack_ms)
