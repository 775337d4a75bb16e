"""What a leg hears, as an aiortc track that gives encoded packets when the room ticks."""

from __future__ import annotations

import asyncio
from collections import deque

import av
from aiortc.mediastreams import MediaStreamError, MediaStreamTrack
from av.stream import Stream

from runtime.media.audio.opus import TIME_BASE

_MOST_WAITING = 3
"""The sender takes each packet at once, so packets wait only while the process is busy."""


class OutgoingTrack(MediaStreamTrack):
    """aiortc's sender pulls from it, and the room's clock fills it, so it needs no clock itself."""

    kind = "audio"

    def __init__(self) -> None:
        super().__init__()
        self._packets: deque[av.Packet[Stream]] = deque(maxlen=_MOST_WAITING)
        self._changed = asyncio.Event()

    def send(self, payload: bytes, sample: int) -> None:
        """Send a packet now. ``sample`` is its position on the 48 kHz clock."""
        packet = av.Packet(payload)
        packet.pts = sample
        packet.time_base = TIME_BASE
        self._packets.append(packet)
        self._changed.set()

    async def recv(self) -> av.Packet[Stream]:
        while not self._packets:
            if self.readyState != "live":
                raise MediaStreamError
            self._changed.clear()
            await self._changed.wait()
        return self._packets.popleft()

    def stop(self) -> None:
        super().stop()
        self._changed.set()
