"""Whose packets a leg reads: the few sources (SSRCs, RFC 3550) that its peer used first. Pure.

libsrtp and aiortc keep a state for each source, go through all of them and never forget one. So a
caller who names a new source in each packet would fill this process's memory and stall every call.
"""

from __future__ import annotations

MOST_SOURCES = 8
"""A browser uses one or two for a microphone."""


class PacketSources:
    def __init__(self) -> None:
        self._known: set[int] = set()

    def may_send(self, source: int) -> bool:
        """Whether a packet that is not decrypted yet can be of one of the leg's sources."""
        return source in self._known or len(self._known) < MOST_SOURCES

    def admit(self, source: int) -> bool:
        """Whether a packet is of one of the leg's sources that was decrypted, and so is the peer's.
        The first ones become the leg's sources."""
        if not self.may_send(source):
            return False
        self._known.add(source)
        return True
