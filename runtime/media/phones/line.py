"""What waits to be sent to the bridge of one phone leg."""

from __future__ import annotations

import asyncio
from collections import deque

from contracts.phone_media import FRAME_MS, Flush, FromWorker, WorkerMessage

MOST_WAITING_FRAMES = 200 // FRAME_MS
"""If the connection is slower than the voice, the oldest frames are dropped: what is heard late
keeps all that follows late."""


class OutgoingLine:
    """Frames and documents in the order in which they leave. Documents are never dropped."""

    def __init__(self) -> None:
        self._waiting: deque[bytes | str] = deque()
        self._frames = 0
        self._changed = asyncio.Event()
        self._closed = False
        self.dropped_frames = 0

    def send_frame(self, frame: bytes) -> None:
        if self._closed:
            return
        if self._frames >= MOST_WAITING_FRAMES:
            self._drop_oldest()
        self._waiting.append(frame)
        self._frames += 1
        self._changed.set()

    def send(self, body: FromWorker) -> None:
        if self._closed:
            return
        if isinstance(body, Flush):
            self._drop_all()
        self._waiting.append(WorkerMessage(body=body).model_dump_json())
        self._changed.set()

    def close(self) -> None:
        """Nothing is added any more; what waits can still be taken."""
        self._closed = True
        self._changed.set()

    async def next(self) -> bytes | str | None:
        """The next message; ``None`` once the line is closed and everything was taken."""
        while not self._waiting:
            if self._closed:
                return None
            self._changed.clear()
            await self._changed.wait()
        message = self._waiting.popleft()
        if isinstance(message, bytes):
            self._frames -= 1
        return message

    def _drop_oldest(self) -> None:
        for position, message in enumerate(self._waiting):
            if isinstance(message, bytes):
                del self._waiting[position]
                self._frames -= 1
                self.dropped_frames += 1
                return

    def _drop_all(self) -> None:
        self._waiting = deque(each for each in self._waiting if isinstance(each, str))
        self._frames = 0
