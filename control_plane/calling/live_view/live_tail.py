"""The newest entries of one call's live stream, shared by all its viewers in this process. Pure.

Each viewer has its own position, so a slow viewer costs no memory: it reads from Redis what the
tail does not hold any more.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from control_plane.platform.link.live_streams import EntryId, LiveEntry

LENGTH = 256


class LiveTail:
    """Holds every entry after ``since``, up to ``newest``."""

    def __init__(self, since: EntryId, length: int = LENGTH) -> None:
        self.since = since
        self.newest = since
        self._entries: deque[LiveEntry] = deque()
        self._length = length

    def add(self, entries: Iterable[LiveEntry]) -> None:
        """Add entries, in order; those that the tail already has are ignored."""
        for entry in entries:
            if entry.entry_id <= self.newest:
                continue
            self._entries.append(entry)
            self.newest = entry.entry_id
            if len(self._entries) > self._length:
                self.since = self._entries.popleft().entry_id

    def after(self, position: EntryId) -> list[LiveEntry] | None:
        """The entries after ``position``; ``None`` if the tail no longer holds all of them."""
        if position < self.since:
            return None
        newer = []
        for entry in reversed(self._entries):
            if entry.entry_id <= position:
                break
            newer.append(entry)
        newer.reverse()
        return newer
