"""Which counters of attempts are over their limit, remembered for a moment: who goes on guessing
takes no time of the database."""

from __future__ import annotations

from datetime import datetime
from weakref import WeakKeyDictionary

from cachetools import TTLCache

from control_plane.platform.database import Database

SECONDS = 1.0
_MOST = 10_000


class UsedUpCounters:
    """By database. Within ``SECONDS`` a counter can only fall below its limit again when attempts
    that were under way succeed; who was refused before that tries again anyway."""

    def __init__(self) -> None:
        self._until: WeakKeyDictionary[Database, TTLCache[bytes, datetime]] = WeakKeyDictionary()

    def note(self, database: Database, key_hash: bytes, until: datetime) -> None:
        known = self._until.setdefault(database, TTLCache(_MOST, SECONDS))
        known[key_hash] = until

    def until(self, database: Database, key_hash: bytes, now: datetime) -> datetime | None:
        """Until when attempts are refused; ``None`` if that is not known."""
        known = self._until.get(database)
        until = None if known is None else known.get(key_hash)
        return until if until is not None and until > now else None
