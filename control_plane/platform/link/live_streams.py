"""Reads calls' live streams, to which their workers append."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

import structlog
from pydantic import ValidationError
from redis.asyncio import Redis

from contracts import redis_names
from contracts.live_messages import LiveBody, LiveMessage
from contracts.versions import read_json
from link import streams
from link.stream_entry import StreamEntry

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, order=True)
class EntryId:
    """Redis's own id of a stream's entry: Unix milliseconds and a number within them."""

    ms: int
    number: int

    @classmethod
    def read(cls, text: str) -> EntryId:
        """
        Raises:
            ValueError: ``text`` is not such an id.
        """
        ms, _, number = text.partition("-")
        read = cls(_natural(ms), _natural(number))
        if read.ms >= 2**63 or read.number >= 2**63:
            raise ValueError("larger than any entry's id")
        return read

    def __str__(self) -> str:
        return f"{self.ms}-{self.number}"


BEFORE_ALL = EntryId(0, 0)


@dataclass(frozen=True)
class LiveEntry:
    """``body`` is ``None`` for messages that this process cannot read, as of a newer worker."""

    entry_id: EntryId
    body: LiveBody | None


async def kept_entries(
    redis: Redis, call_id: UUID, after: EntryId = BEFORE_ALL, count: int | None = None
) -> list[LiveEntry]:
    """The entries after ``after`` that Redis still keeps, oldest first, at most ``count``.

    Raises:
        RedisError, OSError: Redis is away.
    """
    stream = redis_names.live_stream(call_id)
    entries = await streams.kept_entries(redis, stream, after=str(after), count=count)
    return [_read(call_id, entry) for entry in entries]


async def new_entries(
    redis: Redis, positions: Mapping[UUID, EntryId], *, count: int, block_ms: int
) -> dict[UUID, list[LiveEntry]]:
    """What was appended to any of the calls' streams after its position, waiting ``block_ms`` for
    the first; at most ``count`` of each.

    Raises:
        RedisError, OSError: Redis is away.
    """
    calls = {redis_names.live_stream(call_id): call_id for call_id in positions}
    found = await streams.read_streams(
        redis,
        {name: str(positions[call_id]) for name, call_id in calls.items()},
        count=count,
        block_ms=block_ms,
    )
    return {
        calls[name]: [_read(calls[name], entry) for entry in entries]
        for name, entries in found.items()
    }


def _natural(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 20):
        raise ValueError("not a number")
    return int(text)


def _read(call_id: UUID, entry: StreamEntry) -> LiveEntry:
    body: LiveBody | None = None
    try:
        body = read_json(LiveMessage, entry.document).body
    except ValidationError as error:
        _log.warning("live_message_unreadable", call_id=str(call_id), errors=error.error_count())
    return LiveEntry(EntryId.read(entry.entry_id), body)
