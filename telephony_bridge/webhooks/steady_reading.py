"""Uvicorn's websocket, which goes on reading while messages wait."""

from __future__ import annotations

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

MOST_WAITING = 16
"""Messages, of at most ``MOST_MESSAGE_BYTES`` each, that wait for the relay before reading pauses.
As many frames of 20 ms are 320 ms of sound."""


class SteadyReading(WebSocketsSansIOProtocol):
    """Uvicorn's own pauses and resumes reading around every message. Both ask the operating system,
    fifty times a second for each leg."""

    def send_receive_event_to_app(self) -> None:
        if self.read_paused or self.queue.qsize() >= MOST_WAITING:
            super().send_receive_event_to_app()
            return
        self.read_paused = True  # Uvicorn's code pauses unless reading is paused already.
        super().send_receive_event_to_app()
        self.read_paused = False
