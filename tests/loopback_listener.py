"""A socket for a server of the test's own process."""

from __future__ import annotations

import socket


def loopback_listener(backlog: int = 128) -> socket.socket:
    """Listens on a free port of the loopback.

    It says TCP, as ``socket.create_server`` does not: only of such sockets does asyncio switch off
    Nagle's algorithm, with which each answer of two packets takes 40 ms.
    """
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.bind(("127.0.0.1", 0))
    listener.listen(backlog)
    return listener
