"""The connections that wait in the kernel until a process accepts them."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Iterable

LENGTH = 256
"""Of a burst, those beyond it have to try again after a second."""


def lengthen(servers: Iterable[asyncio.Server]) -> None:
    """To ``LENGTH``. asyncio has one number for the queue and for how many connections it accepts
    at once, which is to be small."""
    for server in servers:
        for listener in server.sockets:
            with socket.socket(fileno=os.dup(listener.fileno())) as same:
                same.listen(LENGTH)
