"""Few connections are accepted at once, and many wait for it."""

from __future__ import annotations

import asyncio
import socket
from typing import Any

import pytest
import uvicorn
from fastapi import FastAPI

from listeners import accept_queue
from listeners.connection_limits import SPREAD, ConnectionTimes, limited_protocol
from listeners.connection_room import ACCEPTED_AT_ONCE, ConnectionRoom
from switchboard.processes.calm_server import CalmServer
from telephony_bridge.webhooks.server import BridgeServer, listen

LOOPBACK = "127.0.0.1"
_MOST_WAITING = slice(28, 32)
"""``tcpi_sacked`` of Linux's ``struct tcp_info``: of a listener, how many connections may wait."""


def of_the_api() -> uvicorn.Server:
    return CalmServer(
        uvicorn.Config(FastAPI(), log_config=None, lifespan="off", backlog=ACCEPTED_AT_ONCE)
    )


def of_the_bridge() -> uvicorn.Server:
    nothing: Any = None
    return BridgeServer(nothing, 10)


@pytest.mark.parametrize("server", [of_the_api(), of_the_bridge()], ids=["api", "bridge"])
async def test_the_queue_is_longer_than_what_is_accepted_at_once(server: uvicorn.Server) -> None:
    server.config.load()
    server.lifespan = server.config.lifespan_class(server.config)
    listener = listen(LOOPBACK, 0)
    await server.startup([listener])
    try:
        assert server.config.backlog == ACCEPTED_AT_ONCE
        info = listener.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 104)
        assert int.from_bytes(info[_MOST_WAITING], "little") == accept_queue.LENGTH
        _, writer = await asyncio.open_connection(*listener.getsockname())
        writer.close()
    finally:
        await server.shutdown([listener])


async def test_heads_that_began_at_once_are_not_all_late_at_once() -> None:
    loop = asyncio.get_running_loop()
    times = ConnectionTimes(head_seconds=100.0)
    config = uvicorn.Config(FastAPI(), log_config=None, lifespan="off")
    config.load()
    protocol: Any = limited_protocol(ConnectionRoom(1_000), lambda *_: None, times)  # type: ignore[arg-type, return-value]
    waits = []
    for _ in range(100):
        connection = protocol(config, uvicorn.server.ServerState(), {})
        connection.connection_made(_Transport())
        waits.append(connection._deadline.when() - loop.time())
        connection.connection_lost(None)
    assert min(waits) > 99
    assert max(waits) <= 100 * (1 + SPREAD)
    assert max(waits) - min(waits) > 100 * SPREAD / 2


class _Transport(asyncio.Transport):
    def get_extra_info(self, name: str, default: Any = None) -> Any:
        return ("203.0.113.5", 1) if name == "peername" else default

    def is_closing(self) -> bool:
        return False

    def close(self) -> None:
        pass
