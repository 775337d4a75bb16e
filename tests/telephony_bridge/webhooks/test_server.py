"""The sockets on which carriers reach the bridge."""

from __future__ import annotations

import asyncio
import socket

from telephony_bridge.webhooks.server import listen


async def test_a_frame_to_a_carrier_is_sent_at_once() -> None:
    """Nagle's algorithm would hold it back until the carrier has acknowledged the one before."""
    accepted: asyncio.Future[asyncio.StreamWriter] = asyncio.get_running_loop().create_future()
    listener = listen("127.0.0.1", 0)
    port = listener.getsockname()[1]
    async with await asyncio.start_server(lambda _, w: accepted.set_result(w), sock=listener):
        _, carrier = await asyncio.open_connection("127.0.0.1", port)
        bridge = await accepted
        has_no_delay = bridge.get_extra_info("socket").getsockopt(
            socket.IPPROTO_TCP, socket.TCP_NODELAY
        )
        carrier.close()
        bridge.close()
    assert has_no_delay
