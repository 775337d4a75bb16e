"""The newest entries of one call's live stream, shared by everybody in this process who watches.

Pure. Viewers keep their own positions, so that one who reads slowly costs no memory: when the tail
has moved on without them, they read what they have missed from Redis.
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
        """Entries in order; what the tail has already is ignored."""
        for entry in entries:
            if entry.entry_id <= self.newest:
                continue
            self._entries.append(entry)
            self.newest = entry.entry_id
            if len(self._entries) > self._length:
                self.since = self._entries.popleft().entry_id

    def after(self, position: EntryId) -> list[LiveEntry] | None:
        """What came after ``position``; ``None`` if some of it is no longer here."""
        if position < self.since:
            return None
        newer = []
        for entry in reversed(self._entries):
            if entry.entry_id <= position:
                break
            newer.append(entry)
        newer.reverse()
        return newer
