"""A leg's data channel for live messages. The peer opens it, the room sends on it."""

from __future__ import annotations

from collections import deque

from aiortc import RTCDataChannel

MOST_KEPT = 400
_MOST_BUFFERED_BYTES = 1 << 20


class LiveChannel:
    """Keeps the newest ``MOST_KEPT`` messages until the peer has opened the channel.

    A peer that stops reading misses messages, so that it cannot fill this process's memory.
    """

    def __init__(self) -> None:
        self._channel: RTCDataChannel | None = None
        self._kept: deque[str] = deque(maxlen=MOST_KEPT)

    def opened(self, channel: RTCDataChannel) -> None:
        """The peer opened ``channel``. A later channel replaces an earlier one."""
        self._channel = channel
        while self._kept:
            channel.send(self._kept.popleft())

    def send(self, text: str) -> None:
        channel = self._channel
        if channel is None:
            self._kept.append(text)
        elif channel.readyState == "open" and channel.bufferedAmount < _MOST_BUFFERED_BYTES:
            channel.send(text)
