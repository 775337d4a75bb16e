"""Runs the bridge's application on its port."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Iterator

import uvicorn

from listeners import accept_queue
from listeners.connection_limits import KEEP_ALIVE_SECONDS, ConnectionTimes, limited_protocol
from listeners.connection_room import ACCEPTED_AT_ONCE, ConnectionRoom
from telephony_bridge.webhooks.app import BridgeApp
from telephony_bridge.webhooks.refusals import text_answer
from telephony_bridge.webhooks.websocket_upgrade import WebSocketUpgrade

SHUTDOWN_SECONDS = 1


class PortTaken(RuntimeError):
    """The bridge cannot listen on its port."""


def listen(host: str, port: int) -> socket.socket:
    """
    Raises:
        PortTaken
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # Only of sockets that say TCP does asyncio switch off Nagle's algorithm, which would hold back
    # each frame of the agent's voice until the person's next one.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(accept_queue.LENGTH)
    except OSError as error:
        listener.close()
        raise PortTaken(
            f"cannot listen on {host}:{port} (SWITCHBOARD_BRIDGE_PORT): {error.strerror}"
        ) from error
    return listener


class BridgeServer(uvicorn.Server):
    """Signals are the process's, which sets ``should_exit``.

    Args:
        most_connections: at once, those of phones included. Only the others are closed for a new
            one, or because they keep the bridge waiting.
    """

    def __init__(
        self, app: BridgeApp, most_connections: int, times: ConnectionTimes | None = None
    ) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                lifespan="off",
                http=limited_protocol(ConnectionRoom(most_connections), text_answer, times),
                ws=WebSocketUpgrade,
                backlog=ACCEPTED_AT_ONCE,
                timeout_keep_alive=KEEP_ALIVE_SECONDS,
                timeout_graceful_shutdown=SHUTDOWN_SECONDS,
                log_config=None,
                access_log=False,
                server_header=False,
                proxy_headers=False,
            )
        )

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            accept_queue.lengthen(self.servers)

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield
