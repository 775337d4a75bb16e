"""A carrier's media websocket, without a queue between the connection and the relay.

ASGI hands each message over through a queue and a task. A leg has a hundred messages a second, so
that would be half of a bridge's work.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import structlog
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.exceptions import InvalidState
from websockets.http11 import Request

from telephony_bridge.media.carrier_socket import SocketClosed

EXTENSION = "switchboard.direct_websocket"
"""Where an application finds the connection in its ASGI scope's ``extensions``."""
_log = structlog.get_logger(__name__)

OnMessage = Callable[[str | bytes], None]


class DirectWebSocket(WebSocketsSansIOProtocol):
    """Uvicorn's websocket. While somebody listens, messages take the short way."""

    on_message: OnMessage | None = None

    def handle_connect(self, event: Request) -> None:
        super().handle_connect(event)
        if not self.close_sent:
            extensions = cast("dict[str, Any]", self.scope["extensions"])
            extensions[EXTENSION] = self

    def send_receive_event_to_app(self) -> None:
        if self.on_message is None or self.close_sent:
            super().send_receive_event_to_app()
            return
        message = self.frames[0] if len(self.frames) == 1 else b"".join(self.frames)
        self.frames = []
        # Text that is no UTF-8 is a message that cannot be read, and ends no call.
        is_text = self.curr_msg_data_type == "text"
        self.on_message(message.decode(errors="replace") if is_text else bytes(message))

    def send_now(self, message: str | bytes) -> None:
        """
        Raises:
            SocketClosed
        """
        if self.disconnected or self.close_sent:
            raise SocketClosed
        try:
            if isinstance(message, str):
                self.conn.send_text(message.encode())
            else:
                self.conn.send_binary(message)
        except InvalidState as error:
            raise SocketClosed from error
        self.transport.write(b"".join(self.conn.data_to_send()))


class MediaSocket:
    """Implements ``CarrierSocket``.

    Args:
        scope, receive, send: of a websocket that ``DirectWebSocket`` serves, after its connect.
    """

    def __init__(self, scope: Any, receive: Any, send: Any) -> None:
        self._websocket: DirectWebSocket = scope["extensions"][EXTENSION]
        self._receive = receive
        self._send = send
        self._is_closed = False

    async def receive(self) -> str | bytes:
        if self._is_closed:
            raise SocketClosed
        message = await self._receive()
        if message["type"] != "websocket.receive":
            self._is_closed = True
            raise SocketClosed
        text = message.get("text")
        return text if text is not None else bytes(message.get("bytes") or b"")

    async def listen(self, on_message: OnMessage) -> None:
        # What came before waits in the queue and is taken first: that does not yield to the loop.
        self._websocket.on_message = on_message
        try:
            while True:
                on_message(await self.receive())
        except SocketClosed:
            return
        finally:
            self._websocket.on_message = None

    def send(self, message: str | bytes) -> None:
        if self._is_closed:
            raise SocketClosed
        self._websocket.send_now(message)

    @property
    def waiting_bytes(self) -> int:
        return self._websocket.transport.get_write_buffer_size()

    async def close(self) -> None:
        if self._is_closed:
            return
        self._is_closed = True
        try:
            await self._send({"type": "websocket.close", "code": 1000})
        except (OSError, RuntimeError) as error:
            # What an ASGI server raises for a peer that is gone.
            _log.debug("socket_gone_already", error=str(error))
