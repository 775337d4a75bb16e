"""Redis stream replies, whose shape the client library does not type, as typed entries."""

from __future__ import annotations

from typing import Any, NamedTuple

from contracts import redis_names


class StreamEntry(NamedTuple):
    entry_id: str
    document: str
    """The JSON document; empty if the entry has none."""


def stream_entries(reply: Any) -> list[StreamEntry]:
    """What XRANGE, XREVRANGE and XAUTOCLAIM list. Deleted entries are left out."""
    return [
        StreamEntry(entry_id, fields.get(redis_names.FIELD, ""))
        for entry_id, fields in reply or []
        if fields is not None
    ]


def entries_of_one_stream(reply: Any) -> list[StreamEntry]:
    """What XREAD and XREADGROUP answer about a single stream; nothing after a timeout."""
    return [entry for _, entries in reply or [] for entry in stream_entries(entries)]
