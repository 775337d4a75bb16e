"""Asks the application whether a carrier may open its media websocket, then opens it.

Uvicorn hands each upgrade request over. Once the application accepts it, picows serves the
connection: it reads and writes a message at a third of the cost of uvicorn's own websockets.
"""

from __future__ import annotations

import asyncio
import logging
from http import HTTPStatus
from typing import Any

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
from websockets.http11 import Request
from websockets.server import ServerProtocol

from telephony_bridge.webhooks.media_socket import MOST_MESSAGE_BYTES, MediaSocket

MEDIA_SOCKET = "switchboard.media_socket"
"""Where an application finds its ``MediaSocket`` in an ASGI scope's ``extensions``. It is open once
``websocket.accept`` was sent; ASGI's ``receive`` and ``send`` are only for the upgrade."""
# For picows, which reads "Connection: keep-alive, Upgrade" as no upgrade. The carrier's own request
# was checked before.
_UPGRADE = (
    "GET / HTTP/1.1\r\nConnection: upgrade\r\nUpgrade: websocket\r\n"
    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n\r\n"
)
_END_OF_HEAD = b"\r\n\r\n"
PING_SECONDS = 20.0
"""A carrier that does not answer within as long is gone."""
MOST_READ_BYTES = 4_096
"""Of one carrier before the loop turns to the others. The smallest messages have six bytes, and so
many of them take 4 ms: a fifth of a frame."""
log = structlog.get_logger(__name__)


class _MediaConnection(WSProtocol):  # type: ignore[misc]  # Its types leave it out.
    """picows hands on at once all that a read has brought, and doubles its buffer without limit
    while reads fill it: a carrier that sends on and on would stop every leg for seconds."""

    def get_buffer(self, size_hint: int) -> memoryview:
        space: memoryview = super().get_buffer(size_hint)
        return space[:MOST_READ_BYTES]


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
        self._request: Request | None = None
        self._early = b""
        """What came before the answer."""
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
        if self._request is None and not self._is_answered:
            head, _, self._early = data.partition(_END_OF_HEAD)
            self._read(head + _END_OF_HEAD)
        else:
            self._early += data
        if len(self._early) > MOST_READ_BYTES:
            self._refuse(HTTPStatus.BAD_REQUEST)

    def _read(self, head: bytes) -> None:
        """Source of what an upgrade has to be: RFC 6455, section 4.2.1."""
        handshake = ServerProtocol()
        handshake.receive_data(head)
        requests = handshake.events_received()
        for request in requests:
            assert isinstance(request, Request)
            response = handshake.accept(request)
            if response.status_code == HTTPStatus.SWITCHING_PROTOCOLS:
                self._request = request
            else:
                handshake.send_response(response)
        if self._request is None:
            self._refuse_with(
                b"".join(handshake.data_to_send()) or _refusal(HTTPStatus.BAD_REQUEST)
            )
            return
        task = asyncio.get_running_loop().create_task(self._ask(self._request))
        self._server_state.tasks.add(task)
        task.add_done_callback(self._server_state.tasks.discard)

    def connection_lost(self, error: Exception | None) -> None:
        """Before picows has opened it."""
        self._gone()
        self._socket.end(WSCloseCode.GOING_AWAY)

    def _gone(self) -> None:
        self._server_state.connections.discard(self)

    # -- the application -----------------------------------------------------------------------

    async def _ask(self, request: Request) -> None:
        scope = _scope(request, self._socket)
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
        self._refuse_with(_refusal(status))

    def _refuse_with(self, answer: bytes) -> None:
        """Unless it has its answer."""
        if not self._is_answered and self._transport is not None:
            self._is_answered = True
            self._transport.write(answer)
            self._transport.close()

    def _accept(self) -> None:
        if self._is_answered or self._transport is None or self._transport.is_closing():
            return
        assert self._request is not None
        self._is_answered = True
        try:
            self._hand_over(self._transport, self._request)
        finally:
            if not self._socket.is_open:
                # picows tells nobody of the end of a connection that it has not opened.
                self._transport.abort()
                self.connection_lost(None)

    def _hand_over(self, transport: asyncio.Transport, request: Request) -> None:
        protocol = _MediaConnection(
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
        protocol.connection_made(transport)
        transport.set_protocol(protocol)
        upgrade = _UPGRADE.format(key=request.headers["Sec-WebSocket-Key"].strip())
        unread = memoryview(upgrade.encode() + self._early)
        while unread and not transport.is_closing():
            space = protocol.get_buffer(-1)
            taken = min(len(space), len(unread))
            space[:taken] = unread[:taken]
            unread = unread[taken:]
            protocol.buffer_updated(taken)
        self._early = b""

    def _answer(self, request: WSUpgradeRequest) -> WSUpgradeResponseWithListener:
        return WSUpgradeResponseWithListener(WSUpgradeResponse.create_101_response(), self._socket)


def _refusal(status: HTTPStatus) -> bytes:
    head = f"HTTP/1.1 {status.value} {status.phrase}\r\n"
    return f"{head}Content-Length: 0\r\nConnection: close\r\n\r\n".encode()


def _scope(request: Request, socket: MediaSocket) -> dict[str, Any]:
    """Of ASGI, as far as the bridge's application reads it."""
    path, _, query = request.path.partition("?")
    return {
        "type": "websocket",
        "path": path,
        "raw_path": path.encode("latin-1"),
        "query_string": query.encode("latin-1"),
        "headers": [
            (name.lower().encode("latin-1"), value.encode("latin-1"))
            for name, value in request.headers.raw_items()
        ],
        "extensions": {MEDIA_SOCKET: socket},
    }
