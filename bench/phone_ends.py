"""The two ends between which a bridge stands: a leg's carrier and its media worker.

Each frame begins with the time at which it was sent.
"""

from __future__ import annotations

import time
from base64 import b64encode
from binascii import a2b_base64
from dataclasses import dataclass, field
from typing import ClassVar

from bench.plain_websocket import WebSocketClient, WebSocketServerEnd
from contracts.phone_media import FRAME_MS, SUBPROTOCOL, FrameHeader, write_frame

FRAME_BYTES = 160
"""20 ms of µ-law."""
_STAMP_BYTES = 8
_HEADER_BYTES = 8
"""Of a frame between bridge and worker."""
_SILENCE = b"\xff" * (FRAME_BYTES - _STAMP_BYTES)
_PAYLOAD = b'"payload":"'


@dataclass
class Direction:
    """From the carriers of all legs to their worker, or back. Frames that are sent while it
    ``is_on`` are measured."""

    is_on: bool = False
    sent_frames: int = 0
    latencies_ns: list[int] = field(default_factory=list)

    def frame(self) -> bytes:
        sent_ns = 0
        if self.is_on:
            self.sent_frames += 1
            sent_ns = time.monotonic_ns()
        return sent_ns.to_bytes(_STAMP_BYTES, "little") + _SILENCE

    def arrived(self, frame: bytes) -> None:
        """The frame, or how it begins."""
        sent_ns = int.from_bytes(frame[:_STAMP_BYTES], "little")
        if sent_ns:
            self.latencies_ns.append(time.monotonic_ns() - sent_ns)


class WorkerEnd(WebSocketServerEnd):
    """Sends each frame back as soon as it comes."""

    def __init__(self, to_worker: Direction, to_carrier: Direction) -> None:
        super().__init__()
        self._to_worker = to_worker
        self._to_carrier = to_carrier
        self._sequence = 0

    def received(self, message: bytes) -> None:
        if len(message) != _HEADER_BYTES + FRAME_BYTES:
            return  # A document.
        self._to_worker.arrived(message[_HEADER_BYTES:])
        header = FrameHeader(self._sequence, self._sequence * FRAME_MS)
        self._sequence += 1
        self.send_binary(write_frame(header, self._to_carrier.frame()))


class TwilioEnd(WebSocketClient):
    """One leg on Twilio's wire."""

    def __init__(self, to_worker: Direction, to_carrier: Direction) -> None:
        super().__init__()
        self._to_worker = to_worker
        self._to_carrier = to_carrier
        self._spoken = 0

    def received(self, message: bytes) -> None:
        begin = message.find(_PAYLOAD)
        if begin >= 0:
            begin += len(_PAYLOAD)
            self._to_carrier.arrived(a2b_base64(message[begin : begin + 12]))

    def speak(self) -> None:
        self._spoken += 1
        sound = b64encode(self._to_worker.frame()).decode()
        self.send_text(
            f'{{"event":"media","sequenceNumber":"{self._spoken + 1}","media":{{"track":"inbound",'
            f'"chunk":"{self._spoken}","timestamp":"{self._spoken * FRAME_MS}",'
            f'"payload":"{sound}"}},"streamSid":"stream-1"}}'.encode()
        )


class BareEnd(WebSocketClient):
    """A carrier that needs no bridge: it speaks with the worker as a bridge does."""

    headers: ClassVar = {"Sec-WebSocket-Protocol": SUBPROTOCOL}

    def __init__(self, to_worker: Direction, to_carrier: Direction) -> None:
        super().__init__()
        self._to_worker = to_worker
        self._to_carrier = to_carrier

    def received(self, message: bytes) -> None:
        self._to_carrier.arrived(message[_HEADER_BYTES:])

    def speak(self) -> None:
        self.send_binary(write_frame(FrameHeader(0, 0), self._to_worker.frame()))
