"""Entries of streams, out of replies whose shape the client library does not type. Pure."""

from __future__ import annotations

from typing import Any, NamedTuple

from contracts import redis_names


class StreamEntry(NamedTuple):
    entry_id: str
    document: str
    """The JSON document; empty if the entry has none."""
    header: str = ""
    """The small JSON document beside it; empty if the entry has none."""
    stream: str = ""
    """The stream that a consumer of a group was given it from."""

    @property
    def added_at_ms(self) -> int:
        """Unix time at which the entry was added, from its id."""
        return int(self.entry_id.partition("-")[0])


def listed_entries(reply: Any) -> list[StreamEntry]:
    """The entries that XRANGE, XREVRANGE and XAUTOCLAIM list.

    XAUTOCLAIM lists entries that were deleted while they were pending without fields: they are left
    out.
    """
    return [
        StreamEntry(
            str(entry_id),
            str(fields.get(redis_names.FIELD, "")),
            str(fields.get(redis_names.HEADER_FIELD, "")),
        )
        for entry_id, fields in reply or ()
        if fields is not None
    ]


def entries_by_stream(reply: Any) -> dict[str, list[StreamEntry]]:
    """The entries in a reply to XREAD or XREADGROUP; empty after a timeout.

    Version 2 of the protocol answers with pairs of stream and entries, version 3 with a map, in
    which some client versions wrap the entries in one more list.
    """
    streams = reply.items() if isinstance(reply, dict) else reply or ()
    return {str(name): listed_entries(_unwrapped(entries)) for name, entries in streams}


def _unwrapped(entries: Any) -> Any:
    is_wrapped = bool(entries) and bool(entries[0]) and isinstance(entries[0][0], list | tuple)
    return entries[0] if is_wrapped else entries
