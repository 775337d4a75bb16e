"""Cuts a carrier's sound, of any length, into frames of 20 ms for the worker. Pure."""

from __future__ import annotations

from contracts.phone_media import FRAME_MS, FrameHeader, write_frame


class Framing:
    """A rest that fills no frame waits for what comes next."""

    def __init__(self, frame_bytes: int) -> None:
        self._frame_bytes = frame_bytes
        self._rest = b""
        self._sequence = 0

    def frames(self, payload: bytes) -> list[bytes]:
        """The messages for the worker that ``payload`` completes."""
        if not self._rest and len(payload) == self._frame_bytes:  # As nearly always.
            return [self._frame(payload)]
        sound = self._rest + payload
        whole = len(sound) - len(sound) % self._frame_bytes
        self._rest = sound[whole:]
        return [
            self._frame(sound[begin : begin + self._frame_bytes])
            for begin in range(0, whole, self._frame_bytes)
        ]

    def _frame(self, samples: bytes) -> bytes:
        header = FrameHeader(self._sequence, self._sequence * FRAME_MS)
        self._sequence += 1
        return write_frame(header, samples)
