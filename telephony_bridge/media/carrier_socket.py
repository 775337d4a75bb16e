"""The carrier's media websocket, as the relay needs it."""

from __future__ import annotations

from typing import Protocol


class SocketClosed(Exception):
    """The carrier has closed its websocket, or it broke."""


class CarrierSocket(Protocol):
    async def receive(self) -> str | bytes:
        """The carrier's next message.

        Raises:
            SocketClosed
        """

    async def send(self, message: str | bytes) -> None:
        """
        Raises:
            SocketClosed
        """

    async def close(self) -> None:
        """Idempotent."""
