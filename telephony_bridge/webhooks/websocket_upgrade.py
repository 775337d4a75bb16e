"""Asks the application whether a carrier may open its media websocket, then opens it.

Uvicorn hands each upgrade request over. Once the application accepts it, picows serves the
connection: it reads and writes a message at a third of the cost of uvicorn's own websockets.
"""

from __future__ import annotations

import asyncio
import logging
from http import HTTPStatus
from typing import Any

import h11
import structlog
from picows import (
    WSAutoPingStrategy,
    WSCloseCode,
    WSUpgradeRequest,
    WSUpgradeResponse,
    WSUpgradeResponseWithListener,
)
from picows.picows import WSProtocol  # type: ignore[attr-defined]  # Its types leave it out.
from uvicorn.config import Config
from uvicorn.server import ServerState

from telephony_bridge.webhooks.media_socket import MOST_MESSAGE_BYTES, MediaSocket

MEDIA_SOCKET = "switchboard.media_socket"
"""Where an application finds its ``MediaSocket`` in an ASGI scope's ``extensions``. It is open once
``websocket.accept`` was sent; ASGI's ``receive`` and ``send`` are only for the upgrade."""
PING_SECONDS = 20.0
"""A carrier that does not answer within as long is gone."""
log = structlog.get_logger(__name__)


class WebSocketUpgrade(asyncio.Protocol):
    """One request, as uvicorn's ``ws`` option describes it."""

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: Any = None,
    ) -> None:
        self._app = config.loaded_app
        self._server_state = server_state
        self._socket = MediaSocket(self._gone)
        self._transport: asyncio.Transport | None = None
        self._received = b""
        self._is_asked = False
        self._is_answered = False

    def shutdown(self) -> None:
        """The server stops."""
        if self._socket.is_open:
            self._socket.end(WSCloseCode.SERVICE_RESTART)
        elif self._transport is not None:
            self._transport.close()

    # -- as asyncio calls it -------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._server_state.connections.add(self)  # type: ignore[arg-type]  # Its own kinds.

    def data_received(self, data: bytes) -> None:
        """The request, whole; then whatever a client sends that does not wait for the answer."""
        self._received += data
        if self._is_asked:
            if len(self._received) > MOST_MESSAGE_BYTES:
                self._refuse(HTTPStatus.BAD_REQUEST)
            return
        self._is_asked = True
        task = asyncio.get_running_loop().create_task(self._ask(_scope(data, self._socket)))
        self._server_state.tasks.add(task)
        task.add_done_callback(self._server_state.tasks.discard)

    def connection_lost(self, error: Exception | None) -> None:
        """Before picows took it over."""
        self._gone()
        self._socket.end(WSCloseCode.GOING_AWAY)

    def _gone(self) -> None:
        self._server_state.connections.discard(self)

    # -- the application -----------------------------------------------------------------------

    async def _ask(self, scope: dict[str, Any]) -> None:
        try:
            await self._app(scope, self._receive, self._send)
        except Exception:
            log.exception("websocket_failed", path=scope["path"])
        finally:
            self._refuse(HTTPStatus.INTERNAL_SERVER_ERROR)
            await self._socket.close()

    async def _receive(self) -> dict[str, Any]:
        return {"type": "websocket.connect"}

    async def _send(self, message: dict[str, Any]) -> None:
        if message["type"] == "websocket.accept":
            self._accept()
        else:
            self._refuse(HTTPStatus.FORBIDDEN)

    def _refuse(self, status: HTTPStatus) -> None:
        """Unless it has its answer."""
        if self._is_answered or self._transport is None:
            return
        self._is_answered = True
        head = f"HTTP/1.1 {status.value} {status.phrase}\r\n"
        self._transport.write(f"{head}Content-Length: 0\r\nConnection: close\r\n\r\n".encode())
        self._transport.close()

    def _accept(self) -> None:
        if self._is_answered or self._transport is None or self._transport.is_closing():
            return
        self._is_answered = True
        protocol = WSProtocol(
            host_port=None,
            ws_path=None,
            is_client_side=False,
            ws_listener_factory=self._answer,
            logger=logging.getLogger("picows.server"),
            disconnect_on_exception=True,
            websocket_handshake_timeout=None,
            enable_auto_ping=True,
            auto_ping_idle_timeout=PING_SECONDS,
            auto_ping_reply_timeout=PING_SECONDS,
            auto_ping_strategy=WSAutoPingStrategy.PING_PERIODICALLY,
            enable_auto_pong=True,
            max_frame_size=MOST_MESSAGE_BYTES,
            extra_headers=None,
            read_buffer_init_size=0,
        )
        protocol.connection_made(self._transport)
        self._transport.set_protocol(protocol)
        unread = memoryview(self._received)
        while unread and not self._transport.is_closing():
            space = protocol.get_buffer(-1)
            taken = min(len(space), len(unread))
            space[:taken] = unread[:taken]
            unread = unread[taken:]
            protocol.buffer_updated(taken)
        self._received = b""
        if not self._socket.is_open:
            # The request was no upgrade of RFC 6455: picows has answered so.
            self._gone()
            self._socket.end(WSCloseCode.PROTOCOL_ERROR)

    def _answer(self, request: WSUpgradeRequest) -> WSUpgradeResponseWithListener:
        return WSUpgradeResponseWithListener(WSUpgradeResponse.create_101_response(), self._socket)


def _scope(request: bytes, socket: MediaSocket) -> dict[str, Any]:
    """Of ASGI, as far as the bridge's application reads it."""
    parser = h11.Connection(h11.SERVER)
    parser.receive_data(request)
    event = parser.next_event()
    assert isinstance(event, h11.Request)  # Uvicorn has read and written it.
    raw_path, _, query = event.target.partition(b"?")
    return {
        "type": "websocket",
        "path": raw_path.decode("latin-1"),
        "raw_path": raw_path,
        "query_string": query,
        "headers": list(event.headers),
        "extensions": {MEDIA_SOCKET: socket},
    }
