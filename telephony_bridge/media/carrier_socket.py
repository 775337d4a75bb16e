"""The carrier's media websocket, as the relay needs it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol


class SocketClosed(Exception):
    """The carrier has closed its websocket, or it broke."""


class CarrierSocket(Protocol):
    async def receive(self) -> str | bytes:
        """The carrier's next message, as long as nothing listens.

        Raises:
            SocketClosed
        """

    async def listen(self, on_message: Callable[[str | bytes], None]) -> None:
        """Call ``on_message`` with each message as it comes. Returns once the websocket is closed.

        Args:
            on_message: must not raise.
        """

    def send(self, message: str | bytes) -> None:
        """Without waiting: what the connection does not take yet adds to ``waiting_bytes``.

        Raises:
            SocketClosed
        """

    @property
    def waiting_bytes(self) -> int:
        """Given to ``send``, and not yet taken by the connection."""

    async def close(self) -> None:
        """Idempotent."""
