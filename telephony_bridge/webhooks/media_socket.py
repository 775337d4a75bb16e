"""A carrier's media websocket, once it is accepted.

Each message is handed on in the call that brings it. A leg has a hundred messages a second, so a
queue and a task for each would be half of a bridge's work.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from picows import WSCloseCode, WSFrame, WSListener, WSMsgType, WSTransport

from telephony_bridge.media.carrier_socket import SocketClosed

MOST_MESSAGE_BYTES = 65_536
"""Telnyx may send up to 30 s in one; we ask for 20 ms."""

OnMessage = Callable[[str | bytes], None]


class MediaSocket(WSListener):
    """Implements ``CarrierSocket``.

    Args:
        on_gone: is called once, when the connection is no more.
    """

    def __init__(self, on_gone: Callable[[], None]) -> None:
        self._on_gone = on_gone
        self._transport: WSTransport | None = None
        self._on_message: OnMessage | None = None
        self._waiting: asyncio.Queue[str | bytes | None] = asyncio.Queue()
        """What comes while nobody listens. ``None``: no more will."""
        self._is_closed = False
        self._takes_nothing = False
        """The carrier: what was sent to it waits."""
        self._pieces: bytearray | None = None
        """Of a message that is not complete."""
        self._is_text = False

    @property
    def is_open(self) -> bool:
        return self._transport is not None and not self._is_closed

    # -- as the relay uses it ------------------------------------------------------------------

    async def receive(self) -> str | bytes:
        if self._is_closed and self._waiting.empty():
            raise SocketClosed
        message = await self._waiting.get()
        if message is None:
            raise SocketClosed
        self._read_on()
        return message

    async def listen(self, on_message: OnMessage) -> None:
        # What came before waits in the queue and is taken first: that does not yield to the loop.
        self._on_message = on_message
        try:
            while True:
                on_message(await self.receive())
        except SocketClosed:
            return
        finally:
            self._on_message = None

    def send(self, message: str | bytes) -> None:
        if self._transport is None or self._is_closed:
            raise SocketClosed
        kind = WSMsgType.TEXT if isinstance(message, str) else WSMsgType.BINARY
        self._transport.send(kind, message)

    @property
    def waiting_bytes(self) -> int:
        if self._transport is None:
            return 0
        return self._transport.underlying_transport.get_write_buffer_size()

    async def close(self) -> None:
        self.end(WSCloseCode.OK)

    def end(self, code: WSCloseCode) -> None:
        """Close it, if it is open. Idempotent."""
        if self._transport is not None and not self._is_closed:
            self._transport.send_close(code)
            self._transport.disconnect()
        self._over()

    def _over(self) -> None:
        if not self._is_closed:
            self._is_closed = True
            self._waiting.put_nowait(None)

    # -- as picows calls it --------------------------------------------------------------------

    def on_ws_connected(self, transport: WSTransport) -> None:
        self._transport = transport

    def on_ws_frame(self, transport: WSTransport, frame: WSFrame) -> None:
        kind = frame.msg_type
        if kind is WSMsgType.CLOSE:
            self.end(WSCloseCode.OK)
        elif kind is WSMsgType.PONG or self._is_closed:
            return
        elif frame.fin and kind is not WSMsgType.CONTINUATION:
            self._heard(frame.get_payload_as_bytes(), kind is WSMsgType.TEXT)
        else:
            self._piece(frame)

    def on_ws_disconnected(self, transport: WSTransport) -> None:
        self._over()
        self._on_gone()

    def pause_writing(self) -> None:
        """A carrier that takes nothing is not read either: picows answers each of its pings."""
        self._takes_nothing = True
        if self._transport is not None:
            self._transport.underlying_transport.pause_reading()

    def resume_writing(self) -> None:
        self._takes_nothing = False
        self._read_on()

    def _read_on(self) -> None:
        if self._transport is not None and self._waiting.empty() and not self._takes_nothing:
            self._transport.underlying_transport.resume_reading()

    def _piece(self, frame: WSFrame) -> None:
        if frame.msg_type is not WSMsgType.CONTINUATION:
            self._pieces, self._is_text = bytearray(), frame.msg_type is WSMsgType.TEXT
        if self._pieces is None:
            self.end(WSCloseCode.PROTOCOL_ERROR)
            return
        self._pieces += frame.get_payload_as_bytes()
        if len(self._pieces) > MOST_MESSAGE_BYTES:
            self.end(WSCloseCode.MESSAGE_TOO_BIG)
        elif frame.fin:
            message, self._pieces = bytes(self._pieces), None
            self._heard(message, self._is_text)

    def _heard(self, content: bytes, is_text: bool) -> None:
        # Text that is no UTF-8 is a message that cannot be read, and ends no call.
        message = content.decode(errors="replace") if is_text else content
        if self._on_message is not None:
            self._on_message(message)
            return
        self._waiting.put_nowait(message)
        if self._transport is not None:
            self._transport.underlying_transport.pause_reading()
