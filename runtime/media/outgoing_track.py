"""What a leg hears, as aiortc wants it: a track that gives encoded packets when the room ticks."""

from __future__ import annotations

import asyncio
from collections import deque

import av
from aiortc.mediastreams import MediaStreamError, MediaStreamTrack
from av.stream import Stream

from runtime.media.opus import TIME_BASE

_MOST_WAITING = 3
"""The sender takes a packet as soon as it is there; these only wait while the process is busy."""


class OutgoingTrack(MediaStreamTrack):
    """Pulled by aiortc's sender, fed by the room's clock: no clock or sleep of its own."""

    kind = "audio"

    def __init__(self) -> None:
        super().__init__()
        self._packets: deque[av.Packet[Stream]] = deque(maxlen=_MOST_WAITING)
        self._changed = asyncio.Event()

    def send(self, payload: bytes, sample: int) -> None:
        """Send a packet now; ``sample`` is its place in time, on the 48 kHz clock."""
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
