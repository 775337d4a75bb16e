"""A websocket with hardly any cost of its own, for benchmarks that measure the other end.

It knows messages in one frame, pings, and nothing else. A client's mask is zero, so its bytes go
out as they are.
"""

from __future__ import annotations

import asyncio
import struct
from base64 import b64encode
from collections.abc import Mapping
from urllib.parse import urlsplit

from websockets.speedups import apply_mask
from websockets.utils import accept_key

_TEXT, _BINARY, _CLOSE, _PING, _PONG = 1, 2, 8, 9, 10
_END_OF_HEAD = b"\r\n\r\n"


class PlainWebSocket(asyncio.Protocol):
    """One end. A subclass says what it does with ``received``."""

    masks = False
    """A client has to."""

    def __init__(self) -> None:
        self.opened: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.closed = asyncio.Event()
        self._waiting = b""
        self._transport: asyncio.Transport | None = None

    def received(self, message: bytes) -> None:
        """A text or binary message."""

    def head(self, head: str) -> str:
        """What answers the other end's HTTP head; empty: nothing. Raises ``ValueError``."""
        raise NotImplementedError

    def send_text(self, message: bytes) -> None:
        self._send(_TEXT, message)

    def send_binary(self, message: bytes) -> None:
        self._send(_BINARY, message)

    def close(self) -> None:
        if self._transport is not None:
            self._transport.close()

    def write(self, data: bytes) -> None:
        if self._transport is not None:
            self._transport.write(data)

    # -- as asyncio calls it -------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def connection_lost(self, error: Exception | None) -> None:
        if not self.opened.done():
            self.opened.set_exception(ConnectionError("closed before it was a websocket"))
            self.opened.exception()  # Nobody waits for the end of a server.
        self.closed.set()

    def data_received(self, data: bytes) -> None:
        if self._waiting:
            data = self._waiting + data
        if not self.opened.done():
            head, separator, rest = data.partition(_END_OF_HEAD)
            if not separator:
                self._waiting = data
                return
            try:
                self.write(self.head(head.decode("latin-1")).encode())
            except ValueError as refused:
                self.opened.set_exception(ConnectionError(str(refused)))
                return
            self.opened.set_result(None)
            data = rest
        self._waiting = self._take_frames(data)

    def _take_frames(self, data: bytes) -> bytes:
        """Returns the bytes of a frame that is not complete."""
        at = 0
        while len(data) - at >= 2:
            size, begin = data[at + 1] & 0x7F, at + 2
            if size == 126:
                size, begin = int.from_bytes(data[begin : begin + 2], "big"), begin + 2
            mask = b""
            if data[at + 1] & 0x80:
                mask, begin = data[begin : begin + 4], begin + 4
            end = begin + size
            if end > len(data):
                break
            message = data[begin:end]
            self._frame(data[at] & 0x0F, apply_mask(message, mask) if mask else message)
            at = end
        return data[at:]

    def _frame(self, opcode: int, message: bytes) -> None:
        if opcode == _PING:
            self._send(_PONG, message)
        elif opcode == _CLOSE:
            self.close()
        elif opcode in (_TEXT, _BINARY):
            self.received(message)

    def _send(self, opcode: int, message: bytes) -> None:
        size, masked = len(message), 0x80 if self.masks else 0
        if size < 126:
            head = bytes((0x80 | opcode, masked | size))
        else:
            head = struct.pack("!BBH", 0x80 | opcode, masked | 126, size)
        self.write(head + (b"\0\0\0\0" if self.masks else b"") + message)


class WebSocketClient(PlainWebSocket):
    masks = True

    def head(self, head: str) -> str:
        if " 101 " not in head.partition("\r\n")[0]:
            raise ValueError(head)
        return ""

    def ask(self, url: str, headers: Mapping[str, str]) -> None:
        place = urlsplit(url)
        lines = [
            f"GET {place.path} HTTP/1.1",
            f"Host: {place.netloc}",
            "Connection: Upgrade",
            "Upgrade: websocket",
            "Sec-WebSocket-Version: 13",
            f"Sec-WebSocket-Key: {b64encode(bytes(16)).decode()}",
            *(f"{name}: {value}" for name, value in headers.items()),
        ]
        self.write(("\r\n".join(lines) + "\r\n\r\n").encode())


class WebSocketServerEnd(PlainWebSocket):
    """Accepts whoever comes, with the first subprotocol that is offered."""

    def head(self, head: str) -> str:
        lines = (line.partition(": ") for line in head.split("\r\n")[1:])
        given = {name.lower(): value for name, _, value in lines}
        return (
            "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
            f"Sec-WebSocket-Protocol: {given['sec-websocket-protocol']}\r\n"
            f"Sec-WebSocket-Accept: {accept_key(given['sec-websocket-key'])}\r\n\r\n"
        )
